@tool
@icon("res://addons/npc/icons/object.svg")
class_name NpcObject
extends Node2D
## An object with states that characters use, such as a stove or a bed.

## Emitted when the state has changed. [param by] is a character's id, a player's name, or empty.
signal state_changed(state: String, by: String)
## Emitted when a character has finished with the object or was interrupted, and nobody else keeps it in a state.
## Connect to it to let something go wrong.
signal used(npc_id: String, object_action: String)

## The group of all objects.
const GROUP := &"npc_objects"

static var _by_address := NpcIndex.new()
static var _grid := NpcGrid.new(func(object: NpcObject) -> Rect2: return Rect2(object.global_position, Vector2.ZERO))
## Rises with every change of any object, so that a caller can tell whether its results still hold.
static var _changes: int = 0

## The ids from the root of the world tree, joined with ":", such as "millbrook:cafe:kitchen:stove".
@export var address: String = "":
	set(value):
		if _is_listed:
			_by_address.remove(address, self)
			_by_address.add(value, self)
		address = value
		update_configuration_warnings()
## The name shown to players, such as "stove".
@export var display_name: String = ""
## All states that the object can have; empty if it has none.
@export var states: PackedStringArray = []
## The current state.
@export var state: String = "":
	set(value):
		state = value
		_changes += 1
## How many characters can use the object at once; 0 for no limit.
@export var capacity: int = 0
## What characters can do with the object, by the name of the action: [code]{"cook": {"needs": "off", "during": "on",
## "after": "off"}}[/code]. An action may need a state, sets one while it runs, and leaves one afterwards. Each of the
## three is optional. If empty, every action is allowed.
@export var actions: Dictionary = {}
## Where a character stands to use the object, relative to the node.
@export var stand := Vector2.ZERO

## The agents that use the object now. [NpcAgent] sets it.
var users: Array[NpcAgent] = []

var _is_listed: bool = false
var _place: NpcPlace = null
var _place_known_at: int = -1


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
			_is_listed = true
			_by_address.add(address, self)
			_on_moved()
		NOTIFICATION_EXIT_TREE:
			_is_listed = false
			_by_address.remove(address, self)
			_grid.erase(self)
			_changes += 1
		NOTIFICATION_TRANSFORM_CHANGED:
			_on_moved()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_object(self)


## Sets the state and tells the server. Prints a warning and returns [code]false[/code] if the object does not have the
## state.
func apply_state(new_state: String, by: String = "") -> bool:
	if new_state == state:
		return true
	if not states.is_empty() and new_state not in states:
		push_warning("NpcObject %s has no state '%s'. Use one of: %s." % [address, new_state, ", ".join(states)])
		return false
	state = new_state
	state_changed.emit(state, by)
	var server := NpcSetup.find_server(self)
	if server != null:
		server.report_object(address, state, by)
	return true


## Returns why an action cannot be done with the object now; empty if it can.
func why_not(object_action: String) -> String:
	if object_action.is_empty() or actions.is_empty():
		return ""
	var object_name := NpcRules.with_article(display_name)
	if not actions.has(object_action):
		return "one cannot %s with %s" % [object_action, object_name]
	var needs := get_state_of(object_action, "needs")
	return "" if needs.is_empty() or needs == state else "%s is %s" % [object_name, state]


## Returns the state that an action "needs", has "during" it, or leaves "after" it; empty for none.
func get_state_of(object_action: String, when: String) -> String:
	return str((actions.get(object_action, {}) as Dictionary).get(when, ""))


## Returns the global position where a character stands to use the object.
func get_spot() -> Vector2:
	return global_position + stand


## Returns the address of the place that the object is in.
func get_place_address() -> String:
	return address.substr(0, address.rfind(":"))


## Returns the innermost place at the object's position, or [code]null[/code].
func get_place() -> NpcPlace:
	if _place_known_at != NpcPlace.get_changes():
		_place_known_at = NpcPlace.get_changes()
		_place = NpcPlace.at(global_position)
	return _place


## Returns a number that changes whenever an object is added, removed or moved, or gets another state.
static func get_changes() -> int:
	return _changes


## Returns the object with an address, or [code]null[/code].
static func by_address(wanted: String) -> NpcObject:
	return _by_address.first(wanted) as NpcObject


## Returns the objects within [param distance] pixels of a point.
static func near(point: Vector2, distance: float) -> Array[NpcObject]:
	var found: Array[NpcObject] = []
	for object: NpcObject in _grid.near(Rect2(point, Vector2.ZERO).grow(distance)):
		if point.distance_squared_to(object.global_position) <= distance * distance:
			found.append(object)
	return found


func _on_moved() -> void:
	_grid.put(self)
	_changes += 1
	_place_known_at = -1
