class_name NpcFrameProbe
extends Node
## Takes the main thread's time by part of the demo, and counts redraws.
##
## Counted are `_physics_process`, `_process` and the building of draw commands, in GDScript and in the engine's calls from it. Not
## counted is what the engine does by itself: the renderer, the navigation map, timers. A part is named by the nearest node with a
## script that [constant PARTS] knows. So that a part's nodes run one after the other, [method watch] sets their process priorities.

## Scripts' names, and the part that a node with one belongs to. A part's nodes run in this order.
const PARTS := {
	"NpcServerNode": "NpcServer",
	"NpcAgent": "agents",
	"DemoPerson": "people",
	"DemoLabels": "labels",
	"DemoHud": "hud",
	"DemoTalk": "talk",
	"DemoTalkPanel": "talk",
	"DemoFurniture": "things",
	"DemoGround": "ground",
	"DemoTown": "town",
}
const REST := "other"

## How often each part's items were drawn since watch() or clear().
var redraws: Dictionary = {}
## Microseconds of each part in each frame.
var costs: Dictionary = {}
## Microseconds that the renderer took in each frame with a picture.
var rendering: Array[int] = []

var _sums: Dictionary = {}
var _part: String = ""
var _since: int = 0
var _render_since: int = 0


## Marks the moment in a frame at which a part begins.
class Mark:
	extends Node

	var probe: NpcFrameProbe
	var part: String = ""

	func _process(_delta: float) -> void:
		probe.begin(part)

	func _physics_process(_delta: float) -> void:
		probe.begin(part)


## Begins to measure all under a node, and NpcServer.
func watch(root: Node) -> void:
	var order: Array[String] = [REST]
	for part: String in PARTS.values():
		if part not in order:
			order.append(part)
	for i: int in order.size():
		_add_mark(order[i], -1000 if i == 0 else i * 10)
	_add_mark("", 1000)
	for node: Node in [NpcServer as Node] + root.find_children("*", "Node", true, false) + [root]:
		var i := order.find(part_of(node))
		if i > 0:
			node.process_priority = i * 10 + 5
			node.process_physics_priority = i * 10 + 5
		_listen(node)
	get_tree().node_added.connect(_listen)
	get_tree().physics_frame.connect(begin.bind(REST))
	RenderingServer.frame_pre_draw.connect(func() -> void: _render_since = Time.get_ticks_usec())
	RenderingServer.frame_post_draw.connect(func() -> void: rendering.append(Time.get_ticks_usec() - _render_since))
	process_priority = 1001
	clear()


## Forgets what was measured so far.
func clear() -> void:
	redraws.clear()
	rendering.clear()
	costs.clear()
	_sums.clear()


## "people" for a person's body and all that is drawn for it.
static func part_of(node: Node) -> String:
	while node != null:
		var script := node.get_script() as Script
		if script != null and PARTS.has(str(script.get_global_name())):
			return PARTS[str(script.get_global_name())]
		node = node.get_parent()
	return REST


## What comes from now on is this part's; nobody's when it is empty.
func begin(part: String) -> void:
	var now := Time.get_ticks_usec()
	if not _part.is_empty():
		_sums[_part] = int(_sums.get(_part, 0)) + now - _since
	_part = part
	_since = now


## The last in a frame: all that is to be drawn stands in the queue now, and the frame's end behind it.
func _process(_delta: float) -> void:
	_wait_for_draws.call_deferred(2)


## Drawing may ask for more drawing, which stands behind it.
func _wait_for_draws(times: int) -> void:
	if times > 0:
		_wait_for_draws.call_deferred(times - 1)
		return
	begin("")
	for part: String in _sums:
		(costs.get_or_add(part, [] as Array[int]) as Array[int]).append(int(_sums[part]))
	_sums.clear()


func _add_mark(part: String, priority: int) -> void:
	var mark := Mark.new()
	mark.probe = self
	mark.part = part
	mark.process_priority = priority
	mark.process_physics_priority = priority
	add_child(mark)


func _listen(node: Node) -> void:
	var item := node as CanvasItem
	if item == null or item.has_meta(&"watched"):
		return
	item.set_meta(&"watched", true)
	# Who draws by the signal comes after the probe.
	var drawers := item.draw.get_connections()
	for drawer: Dictionary in drawers:
		item.draw.disconnect(drawer["callable"] as Callable)
	item.draw.connect(_on_draw.bind(item))
	for drawer: Dictionary in drawers:
		item.draw.connect(drawer["callable"] as Callable)


## Emitted right before an item's `_draw`.
func _on_draw(item: CanvasItem) -> void:
	var part := part_of(item)
	redraws[part] = int(redraws.get(part, 0)) + 1
	begin(part)
