@tool
@icon("res://addons/npc/icons/object.svg")
class_name NpcObject
extends Node2D
## A thing with states, which characters use: a stove, a bed, a notice board.

## It has another state now. [param by]: a character's id, a player's name, or empty.
signal state_changed(state: String, by: String)
## A character has done something with it, or broken it off; nobody else is at it. Here things may go wrong.
signal used(npc_id: String, object_action: String)

## Group of all objects.
const GROUP := &"npc_objects"

static var _by_address := NpcIndex.new()
static var _grid := NpcGrid.new(func(object: NpcObject) -> Rect2: return Rect2(object.global_position, Vector2.ZERO))
## Counts changes of all objects, for who keeps what it found.
static var _changes: int = 0

## Ids from the root, joined with ":", e.g. "millbrook:cafe:kitchen:stove".
@export var address: String = "":
	set(value):
		if _is_listed:
			_by_address.remove(address, self)
			_by_address.add(value, self)
		address = value
		update_configuration_warnings()
## For people: "stove".
@export var display_name: String = ""
## All states it can be in; empty if it has none.
@export var states: PackedStringArray = []
## The state now.
@export var state: String = "":
	set(value):
		state = value
		_changes += 1
## Characters who can use it at once; 0 for no limit.
@export var capacity: int = 0
## What is done with it, by the action's name: { "cook": { "needs": "off", "during": "on", "after": "off" } }. Each of the
## three may be left out: the state that the action asks for, that it has meanwhile, and that is left. Anything goes while
## it is empty.
@export var actions: Dictionary = {}
## Where somebody stands who uses it. Relative to the node.
@export var stand := Vector2.ZERO

## The agents that use it now. NpcAgent keeps it.
var users: Array[NpcAgent] = []

var _is_listed: bool = false
var _place: NpcPlace = null
var _place_known_at: int = -1


func _ready() -> void:
	add_to_group(GROUP)


# Not _enter_tree() and _exit_tree(): a game's own class may have those, and every class of a node gets its notifications.
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


## Puts it into a state and tells the minds. Returns false, with a warning, for a state it does not have.
func apply_state(new_state: String, by: String = "") -> bool:
	if new_state == state:
		return true
	if not states.is_empty() and new_state not in states:
		push_warning("NpcObject %s has no state '%s'. Use one of: %s." % [address, new_state, ", ".join(states)])
		return false
	state = new_state
	state_changed.emit(state, by)
	var server := NpcSetup.server_of(self)
	if server != null:
		server.report_object(address, state, by)
	return true


## Why this cannot be done with it now; empty when it can.
func why_not(object_action: String) -> String:
	if object_action.is_empty() or actions.is_empty():
		return ""
	var called := NpcRules.with_article(display_name)
	if not actions.has(object_action):
		return "one cannot %s with %s" % [object_action, called]
	var needs := get_state_of(object_action, "needs")
	return "" if needs.is_empty() or needs == state else "%s is %s" % [called, state]


## The state that an action "needs", has "during" it, or leaves "after" it; empty for none.
func get_state_of(object_action: String, when: String) -> String:
	return str((actions.get(object_action, {}) as Dictionary).get(when, ""))


## A global position to go to.
func get_spot() -> Vector2:
	return global_position + stand


## Address of the place it is in.
func get_place_address() -> String:
	return address.substr(0, address.rfind(":"))


## The place whose rectangle it stands in, or null.
func get_place() -> NpcPlace:
	if _place_known_at != NpcPlace.get_changes():
		_place_known_at = NpcPlace.get_changes()
		_place = NpcPlace.at(get_tree(), global_position)
	return _place


## A number that is another one whenever an object came, went, moved or has another state.
static func get_changes() -> int:
	return _changes


## The object with this address, or null.
static func by_address(_tree: SceneTree, wanted: String) -> NpcObject:
	return _by_address.first(wanted) as NpcObject


## The objects within a distance of a point, in pixels.
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
