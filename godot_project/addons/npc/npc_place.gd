@tool
@icon("res://addons/npc/icons/place.svg")
class_name NpcPlace
extends Node2D
## A place in the world tree of a 2D game, such as a building, a room or a lawn. Its rectangle begins at the node's
## position. 3D games use [NpcPlace3D].

## The group of all places.
const GROUP := &"npc_places"

## The ids from the root of the world tree, joined with ":", such as "millbrook:cafe:kitchen".
@export var address: String = "":
	get:
		return core.address
	set(value):
		core.address = value
		update_configuration_warnings()
		NpcOutlines.redraw(self)
## The name shown to players, such as "the Kettle Café".
@export var display_name: String = "":
	get:
		return core.display_name
	set(value):
		core.display_name = value
		NpcOutlines.redraw(self)
## The size in pixels.
@export var size := Vector2(64, 64):
	set(value):
		size = value
		_on_moved()
		NpcOutlines.redraw(self)
## If [code]true[/code], the place has no walls: people in it see into other open places, and are seen. For opening
## times see [member hours].
@export var open: bool = false:
	get:
		return core.open
	set(value):
		core.open = value
## How many people fit at once; 0 for no limit.
@export var capacity: int = 0:
	get:
		return core.capacity
	set(value):
		core.capacity = value
## Opening hours, such as "08:00-17:00". "20:00-02:00" lasts past midnight. If empty, the place is always open. Owners
## may enter at any time.
@export var hours: String = "":
	get:
		return core.hours
	set(value):
		core.hours = value
## The ids of the only characters that may enter. If empty, everybody may.
@export var owners: PackedStringArray = []:
	get:
		return core.owners
	set(value):
		core.owners = value
## Where people stand who come here, relative to the node. If empty, they go to the middle.
@export var spots := PackedVector2Array():
	set(value):
		spots = value
		NpcOutlines.redraw(self)

## What it has in common with [NpcPlace3D]. Meant for the addon.
var core := NpcPlaceCore.new(self, false)


func _ready() -> void:
	add_to_group(GROUP)


# Not _enter_tree() and _exit_tree(): a subclass in a game may override those, and would then have to call super().
func _notification(what: int) -> void:
	if Engine.is_editor_hint():
		match what:
			NOTIFICATION_ENTER_TREE:
				set_notify_transform(true)
				update_configuration_warnings()
			NOTIFICATION_TRANSFORM_CHANGED:
				NpcOutlines.redraw(self)
			NOTIFICATION_DRAW:
				NpcOutlines.draw_place(self)
		return
	match what:
		NOTIFICATION_ENTER_TREE:
			set_notify_transform(true)
			_on_moved()
			core.enter()
		NOTIFICATION_EXIT_TREE:
			core.leave()
		NOTIFICATION_TRANSFORM_CHANGED:
			_on_moved()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_place(core)


## Returns the rectangle in global coordinates.
func get_rect() -> Rect2:
	return Rect2(global_position, size)


## Returns [member display_name], or [member address] if it is empty.
func get_name_or_address() -> String:
	return core.get_name_or_address()


## Returns [code]true[/code] if the place is open at a game time.
func is_open_at(at_s: float) -> bool:
	return core.usual_is_open_at(at_s)


## Returns a global position to go to. Another [param salt] gives another position, so that people do not stand inside
## each other.
func get_spot(salt: int = 0) -> Vector2:
	return global_position + (size / 2.0 if spots.is_empty() else spots[absi(salt) % spots.size()])


## Returns how many agents' bodies are in the place.
func count_people() -> int:
	return core.count_people()


## Returns the innermost place at a point, or [code]null[/code].
static func at(point: Vector2) -> NpcPlace:
	var found := NpcPlaceCore.at(NpcSpace.to_point(point), false)
	return found.node as NpcPlace if found != null else null


## Returns the place with an address, or [code]null[/code].
static func by_address(wanted: String) -> NpcPlace:
	var found := NpcPlaceCore.by_address(wanted, false)
	return found.node as NpcPlace if found != null else null


func _on_moved() -> void:
	if is_inside_tree():
		core.cover(Transform3D(Basis.IDENTITY, NpcSpace.point_of(self)), Rect2(Vector2.ZERO, size), -INF, INF)
