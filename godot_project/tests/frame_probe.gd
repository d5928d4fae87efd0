class_name NpcFrameProbe
extends Node
## Measures the main thread's time by part of the demo, and counts redraws.
##
## It measures [code]_physics_process[/code], [code]_process[/code] and the building of draw commands, with the engine
## calls in them. It does not measure what the engine does by itself: the renderer, the navigation map, timers. On Linux, the
## time in which the thread waited for a processor does not count, so that other programs change little. The part
## of a node is that of the nearest parent with a script from [constant PARTS]. [method watch] sets process priorities,
## so that the nodes of a part run one after the other.

## The part of each script, by its class name. Parts run in this order.
const PARTS := {
	"NpcServerNode": "NpcServer",
	"NpcPanel": "panel",
	"NpcAgent": "agents",
	"DemoPerson": "people",
	"DemoLabels": "labels",
	"DemoHud": "hud",
	"DemoPlayHud": "hud",
	"DemoTalk": "talk",
	"DemoTalkPanel": "talk",
	"DemoFurniture": "things",
	"DemoLights": "lights",
	"DemoLife": "life",
	"DemoSounds": "sounds",
	"DemoGround": "ground",
	"DemoTownMap": "ground",
	"DemoTown": "town",
	"DemoAvatar": "player",
	"DemoGame": "game",
}
const REST := "other"
## Nanoseconds that the thread ran, and that it waited for a processor, on Linux.
const SCHEDULED := "/proc/thread-self/schedstat"

## How often each part was drawn since [method watch] or [method clear].
var redraws: Dictionary = {}
## Microseconds of each part, one number per frame.
var costs: Dictionary = {}
## Microseconds of the renderer, one number per drawn frame.
var rendering: Array[int] = []

var _sums: Dictionary = {}
var _part: String = ""
var _since: int = 0
## Microseconds that the thread had waited by then.
var _waited: int = 0
var _render_since: int = 0


## Marks the moment in a frame when a part begins.
class Mark:
	extends Node

	var probe: NpcFrameProbe
	var part: String = ""

	func _process(_delta: float) -> void:
		probe.begin(part)

	func _physics_process(_delta: float) -> void:
		probe.begin(part)


## Begins to measure NpcServer and all nodes under [param root].
func watch(root: Node) -> void:
	var order: Array[String] = [REST]
	for part: String in PARTS.values():
		if part not in order:
			order.append(part)
	for i: int in order.size():
		_add_mark(order[i], -1000 if i == 0 else i * 10)
	_add_mark("", 1000)
	var panels := NpcServer.find_children("*", "NpcPanel", true, false)
	for node: Node in [NpcServer as Node] + panels + root.find_children("*", "Node", true, false) + [root]:
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


## Drops all measurements.
func clear() -> void:
	redraws.clear()
	rendering.clear()
	costs.clear()
	_sums.clear()


## Returns the part of a node, such as "people" for a person's body and figure.
static func part_of(node: Node) -> String:
	while node != null:
		var script := node.get_script() as Script
		if script != null and PARTS.has(str(script.get_global_name())):
			return PARTS[str(script.get_global_name())]
		node = node.get_parent()
	return REST


## Counts the time from now on for a part; for none if [param part] is empty.
func begin(part: String) -> void:
	var now := Time.get_ticks_usec()
	var waited := _get_waited()
	if not _part.is_empty():
		_sums[_part] = int(_sums.get(_part, 0)) + maxi(0, now - _since - (waited - _waited))
	_part = part
	_waited = waited
	_since = Time.get_ticks_usec()


static func _get_waited() -> int:
	var file := FileAccess.open(SCHEDULED, FileAccess.READ)
	@warning_ignore("integer_division")
	return int(file.get_line().get_slice(" ", 1)) / 1000 if file != null else 0


## Runs last in a frame. All redraws are queued by now, so a deferred call comes after them.
func _process(_delta: float) -> void:
	_wait_for_draws.call_deferred(2)


## A redraw may queue another, so the call is deferred several times.
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
	# Other listeners of the signal must come after the probe, so that their time counts.
	var drawers := item.draw.get_connections()
	for drawer: Dictionary in drawers:
		item.draw.disconnect(drawer["callable"] as Callable)
	item.draw.connect(_on_draw.bind(item))
	for drawer: Dictionary in drawers:
		item.draw.connect(drawer["callable"] as Callable)


## Called right before an item's [code]_draw[/code].
func _on_draw(item: CanvasItem) -> void:
	var part := part_of(item)
	redraws[part] = int(redraws.get(part, 0)) + 1
	begin(part)
