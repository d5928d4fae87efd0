@tool
@icon("res://addons/npc/icons/place_3d.svg")
class_name NpcPlace3D
extends Node3D
## A place in the world tree of a 3D game, such as a building, a room or a lawn. Put the node on the floor, in the middle:
## its box stands on the node's position, and turns with it. 2D games use [NpcPlace].

## The group of all places.
const GROUP := &"npc_places"
## How far the box reaches below the node, in metres, since a floor is never quite even. Its top is as much lower.
const BELOW_M := 0.25

## The ids from the root of the world tree, joined with ":", such as "millbrook:cafe:kitchen".
@export var address: String = "":
	get:
		return core.address
	set(value):
		core.address = value
		update_configuration_warnings()
## The name shown to players, such as "the Kettle Café".
@export var display_name: String = "":
	get:
		return core.display_name
	set(value):
		core.display_name = value
## The size of the box in metres.
@export var size := Vector3(4, 3, 4):
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
## Where people stand who come here, relative to the node. They turn with it. If empty, people go to the node.
@export var spots := PackedVector3Array():
	set(value):
		spots = value
		NpcOutlines.redraw(self)

## What it has in common with [NpcPlace]. Meant for the addon.
var core := NpcPlaceCore.new(self, true)


func _ready() -> void:
	add_to_group(GROUP)


# Not _enter_tree() and _exit_tree(): a subclass in a game may override those, and would then have to call super().
func _notification(what: int) -> void:
	if Engine.is_editor_hint():
		if what == NOTIFICATION_ENTER_TREE:
			update_configuration_warnings()
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


## Returns [code]true[/code] if a global position is in the place.
func has_point(point: Vector3) -> bool:
	return core.has_point(point)


## Returns [member display_name], or [member address] if it is empty.
func get_name_or_address() -> String:
	return core.get_name_or_address()


## Returns [code]true[/code] if the place is open at a game time.
func is_open_at(at_s: float) -> bool:
	return core.usual_is_open_at(at_s)


## Returns a global position to go to. Another [param salt] gives another position, so that people do not stand inside
## each other.
func get_spot(salt: int = 0) -> Vector3:
	return global_position if spots.is_empty() else to_global(spots[absi(salt) % spots.size()])


## Returns how many agents' bodies are in the place.
func count_people() -> int:
	return core.count_people()


## Returns the innermost place at a point, or [code]null[/code].
static func at(point: Vector3) -> NpcPlace3D:
	var found := NpcPlaceCore.at(point, true)
	return found.node as NpcPlace3D if found != null else null


## Returns the place with an address, or [code]null[/code].
static func by_address(wanted: String) -> NpcPlace3D:
	var found := NpcPlaceCore.by_address(wanted, true)
	return found.node as NpcPlace3D if found != null else null


func _on_moved() -> void:
	if is_inside_tree():
		var ground := Rect2(-size.x / 2.0, -size.z / 2.0, size.x, size.z)
		core.cover(global_transform, ground, -BELOW_M, size.y - BELOW_M)
