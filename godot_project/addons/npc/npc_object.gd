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

## Ids from the root, joined with ":", e.g. "millbrook:cafe:kitchen:stove".
@export var address: String = ""
## For people: "stove".
@export var display_name: String = ""
## All states it can be in; empty if it has none.
@export var states: PackedStringArray = []
## The state now.
@export var state: String = ""
## Characters who can use it at once; 0 for no limit.
@export var capacity: int = 0
## What is done with it, by the action's name: { "cook": { "needs": "off", "during": "on", "after": "off" } }. Each of the
## three may be left out: the state that the action asks for, that it has meanwhile, and that is left. Anything goes while
## it is empty.
@export var actions: Dictionary = {}
## Where somebody stands who uses it. Relative to the node.
@export var stand := Vector2.ZERO


func _ready() -> void:
	add_to_group(GROUP)


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


## The object with this address, or null.
static func by_address(tree: SceneTree, wanted: String) -> NpcObject:
	for node: Node in tree.get_nodes_in_group(GROUP):
		var object := node as NpcObject
		if object != null and object.address == wanted:
			return object
	return null
