@tool
class_name DemoTownMap
extends DemoGround
## The root of a town's scene. The places, objects and people under it are nodes that one edits; it draws grass, lanes and houses
## around them, in Godot's editor, too.

## Seconds between two looks at what was moved in the editor.
const LOOK_S := 0.5

## The town file as Godot can read it. It has what no node can say, such as doors and paths.
@export_file("*.json") var file: String = ""

## Where people walk. The game makes its shape from walls and objects.
var ways: NavigationRegion2D

var _seen: String = ""
var _wait_s: float = LOOK_S


# Not _ready(): by then the people under it have looked for their places.
func _enter_tree() -> void:
	_read()


func _ready() -> void:
	super()
	ways = NavigationRegion2D.new()
	add_child(ways)
	set_process(Engine.is_editor_hint())


## Only in the editor: draws the town again when somebody has moved a house.
func _process(delta: float) -> void:
	_wait_s -= delta
	if _wait_s > 0.0:
		return
	_wait_s = LOOK_S
	if DemoTownNodes.get_signature(self) != _seen:
		_read()
		super._ready()
		queue_redraw()


func _read() -> void:
	_seen = DemoTownNodes.get_signature(self) if Engine.is_editor_hint() else ""
	plan = DemoTownPlan.load_file(file, self)
	if plan == null:
		return
	var rects: Dictionary[String, Rect2i] = {}
	for place: DemoTownPlan.TownPlace in plan.places:
		rects[place.address] = place.rect
	var objects: Dictionary[String, DemoTownPlan.TownObject] = {}
	for object: DemoTownPlan.TownObject in plan.objects:
		objects[object.address] = object
	for node: Node in find_children("*", "Node2D", true, false):
		var place := node as NpcPlace
		var thing := node as DemoFurniture
		if thing != null and objects.has(thing.address):
			thing.fit_in(objects[thing.address])
		elif place != null and place.spots.is_empty() and rects.has(place.address) and not Engine.is_editor_hint():
			place.spots = plan.get_spots(rects[place.address])
