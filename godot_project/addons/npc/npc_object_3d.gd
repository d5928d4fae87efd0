@tool
@icon("res://addons/npc/icons/object_3d.svg")
class_name NpcObject3D
extends Node3D
## An object of a 3D game with states that characters use, such as a stove or a bed. 2D games use [NpcObject].

## Emitted when the state has changed. [param by] is a character's id, a player's name, or empty.
signal state_changed(state: String, by: String)
## Emitted when a character has finished with the object or was interrupted, and nobody else keeps it in a state.
## Connect to it to let something go wrong.
signal used(npc_id: String, object_action: String)

## The group of all objects.
const GROUP := &"npc_objects"

## The ids from the root of the world tree, joined with ":", such as "millbrook:cafe:kitchen:stove".
@export var address: String = "":
	get:
		return core.address
	set(value):
		core.address = value
		update_configuration_warnings()
## The name shown to players, such as "stove".
@export var display_name: String = "":
	get:
		return core.display_name
	set(value):
		core.display_name = value
## All states that the object can have; empty if it has none.
@export var states: PackedStringArray = []:
	get:
		return core.states
	set(value):
		core.states = value
## The current state.
@export var state: String = "":
	get:
		return core.state
	set(value):
		core.state = value
## How many characters can use the object at once; 0 for no limit.
@export var capacity: int = 0:
	get:
		return core.capacity
	set(value):
		core.capacity = value
## What characters can do with the object, by the name of the action: [code]{"cook": {"needs": "off", "during": "on",
## "after": "off"}}[/code]. An action may need a state, sets one while it runs, and leaves one afterwards. Each of the
## three is optional. If empty, every action is allowed.
@export var actions: Dictionary = {}:
	get:
		return core.actions
	set(value):
		core.actions = value
## Where a character stands to use the object, relative to the node. It turns with it.
@export var stand := Vector3.ZERO:
	set(value):
		stand = value
		NpcOutlines.redraw(self)

## What it has in common with [NpcObject]. Meant for the addon.
var core := NpcObjectCore.new(self, true)
## The agents that use the object now. [NpcAgent] sets it.
var users: Array[NpcAgent]:
	get:
		return core.users


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
			core.enter()
		NOTIFICATION_EXIT_TREE:
			core.leave()
		NOTIFICATION_TRANSFORM_CHANGED:
			core.move()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_object(core)


## Sets the state and tells the server. Prints a warning and returns [code]false[/code] if the object does not have the
## state.
func apply_state(new_state: String, by: String = "") -> bool:
	return core.usual_apply_state(new_state, by)


## Returns why an action cannot be done with the object now; empty if it can.
func why_not(object_action: String) -> String:
	return core.usual_why_not(object_action)


## Returns the state that an action "needs", has "during" it, or leaves "after" it; empty for none.
func get_state_of(object_action: String, when: String) -> String:
	return core.usual_state_of(object_action, when)


## Returns the global position where a character stands to use the object.
func get_spot() -> Vector3:
	return to_global(stand)


## Returns the address of the place that the object is in.
func get_place_address() -> String:
	return core.get_place_address()


## Returns the innermost place at the object's position, or [code]null[/code].
func get_place() -> NpcPlace3D:
	var found := core.get_place()
	return found.node as NpcPlace3D if found != null else null


## Returns the object with an address, or [code]null[/code].
static func by_address(wanted: String) -> NpcObject3D:
	var found := NpcObjectCore.by_address(wanted, true)
	return found.node as NpcObject3D if found != null else null


## Returns the objects within [param distance] metres of a point.
static func near(point: Vector3, distance: float) -> Array[NpcObject3D]:
	var found: Array[NpcObject3D] = []
	for object: NpcObjectCore in NpcObjectCore.near(point, distance, true):
		found.append(object.node as NpcObject3D)
	return found
