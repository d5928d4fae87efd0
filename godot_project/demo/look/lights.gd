class_name DemoLights
extends Node2D
## The light of the evening: lamps along the streets, and the rooms and windows where somebody is awake. It adds to what the
## night has darkened (see [DemoDaylight]), and is drawn again only when somebody comes home, leaves or goes to bed.

## Emitted when somebody came home, left, woke up or went to bed.
signal homes_changed

## Seconds between two looks at who is where.
const LOOK_S := 0.5
const WARM := Color("ffb860")
const ABOVE_FURNITURE := 5

var scenery: DemoScenery
## The addresses of rooms with somebody awake, as keys.
var awake: Dictionary[String, bool] = {}
## If [code]true[/code], all houses are lit, as behind the title.
var everybody_is_home: bool = false

var _lamps: Node2D
var _rooms: Node2D
var _wait_s: float = 0.0
var _strength: float = -1.0


func _ready() -> void:
	z_index = ABOVE_FURNITURE
	z_as_relative = false
	var glowing := CanvasItemMaterial.new()
	glowing.blend_mode = CanvasItemMaterial.BLEND_MODE_ADD
	glowing.light_mode = CanvasItemMaterial.LIGHT_MODE_UNSHADED
	_rooms = DemoFigure.add_part(self, Vector2.ZERO, _draw_rooms)
	_lamps = DemoFigure.add_part(self, Vector2.ZERO, _draw_lamps)
	_rooms.material = glowing
	_lamps.material = glowing
	_show()


func _process(delta: float) -> void:
	_show()
	_wait_s -= delta
	if _wait_s > 0.0:
		return
	_wait_s = LOOK_S
	var now := _find_awake()
	if now != awake:
		awake = now
		if visible:
			_rooms.queue_redraw()
		homes_changed.emit()


## Returns [code]true[/code] while somebody is awake in a house.
func is_home(house: String) -> bool:
	for room: String in awake:
		if room.begins_with(house + ":"):
			return true
	return false


func _show() -> void:
	var strength := snappedf(DemoDaylight.get_darkness(), 0.02)
	if strength == _strength:
		return
	_strength = strength
	if strength > 0.0 and not visible:
		_rooms.queue_redraw()
	visible = strength > 0.0
	modulate = Color(1, 1, 1, strength)


func _find_awake() -> Dictionary[String, bool]:
	var found: Dictionary[String, bool] = {}
	for place: DemoTownPlan.TownPlace in scenery.plan.places if everybody_is_home else []:
		if place.is_room and absi(hash(place.address)) % 3 > 0:
			found[place.address] = true
	for agent: Node in get_tree().get_nodes_in_group(NpcAgent.GROUP):
		var person := agent.get_parent() as DemoPerson
		if person != null and person.get_bed() == null:
			_note(person.global_position, found)
	for player: Node in get_tree().get_nodes_in_group(NpcAgent.PLAYER_GROUP):
		if player is Node2D:
			_note((player as Node2D).global_position, found)
	return found


func _note(at: Vector2, into: Dictionary[String, bool]) -> void:
	var place := NpcPlace.at(at)
	if place != null and not place.open and place.address.count(":") == 2:
		into[place.address] = true


func _draw_rooms(on: Node2D) -> void:
	var brush := DemoBrush.new()
	for place: DemoTownPlan.TownPlace in scenery.plan.places:
		if awake.has(place.address):
			var area := DemoTownPlan.to_pixels(place.rect)
			brush.rect(area, Color(WARM, 0.3), Color(WARM, 0.22))
			brush.glow(area.get_center(), area.size.x * 0.5, Color(WARM, 0.22), area.size.y / area.size.x)
	for window: DemoScenery.Pane in scenery.windows:
		if awake.has(window.room):
			_draw_window(brush, window.area)
	brush.flush(on)


## A lit window throws its light on the ground before it.
func _draw_window(brush: DemoBrush, area: Rect2) -> void:
	brush.rect(area, Color(WARM, 0.95), Color(WARM, 0.75))
	brush.glow(area.get_center(), 20.0, Color(WARM, 0.4))
	brush.glow(Vector2(area.get_center().x, area.end.y + 16.0), 26.0, Color(WARM, 0.32), 0.7)


func _draw_lamps(on: Node2D) -> void:
	var brush := DemoBrush.new()
	for lamp: Vector2 in scenery.lamps:
		brush.glow(lamp, 74.0, Color(WARM, 0.34), 0.72)
		brush.glow(lamp + Vector2(0, -23), 15.0, Color(WARM, 0.85))
		brush.disc(lamp + Vector2(0, -23), 3.2, Color(WARM.lightened(0.5), 0.9))
	for door: Vector2i in scenery.plan.doors:
		if scenery.is_outer(door):
			brush.glow(DemoTownPlan.get_middle(door), 30.0, Color(WARM, 0.3))
	brush.flush(on)
