@icon("res://addons/npc/icons/object.svg")
class_name NpcObject
extends Node2D
## A thing with states, which characters use: a stove, a bed, a notice board.

## It has another state now. [param by]: a character's id, a player's name, or empty.
signal state_changed(state: String, by: String)

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
	NpcServer.report_object(address, state, by)
	return true


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
