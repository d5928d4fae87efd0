class_name NpcUse
extends RefCounted
## A character's use of an object: the state that it gets meanwhile, and the one that it is left in.

## The object in use.
var object: NpcObjectCore
## The state that the object had before.
var state_before: String = ""

var _agent: NpcAgent
var _action: NpcAction
var _changes_object: bool = false


func _init(agent: NpcAgent, of: NpcObjectCore) -> void:
	_agent = agent
	_action = agent.action
	object = of
	object.users.append(agent)
	state_before = _get_state_at_rest()
	var during := _action.object_state
	if during.is_empty():
		during = object.get_state_of(_action.object_action, "during")
	if not during.is_empty():
		_changes_object = object.apply_state(during, agent.persona_id)


## Returns [code]true[/code] while the object exists.
func is_valid() -> bool:
	return is_instance_valid(object.node)


## Returns [code]true[/code] if the action keeps the object in the state it has set.
func is_changing() -> bool:
	return _changes_object


## Returns the state that the object gets when the action ends; empty for no change.
func get_state_after() -> String:
	var after := _action.object_state_after
	if after.is_empty():
		after = object.get_state_of(_action.object_action, "after")
	return state_before if after.is_empty() and _changes_object else after


## Ends the use, and gives the object the state that the action leaves. If [param is_over] is [code]false[/code], the action
## was interrupted, and does so only if it has changed the object.
func end(is_over: bool) -> void:
	var after := get_state_after() if _changes_object or is_over else ""
	object.users.erase(_agent)
	for other: NpcAgent in object.users:
		if other.is_changing(object):
			return  # another character still uses it: a table stays laid while somebody eats there
	if not after.is_empty():
		object.apply_state(after, _agent.persona_id)
	object.tell_used(_agent.persona_id, _action.object_action)


## Returns the state that the object has while nobody changes it. Others may already use it: a table is laid for them.
func _get_state_at_rest() -> String:
	for other: NpcAgent in object.users:
		if other.is_changing(object):
			return other.get_state_before()
	return object.state
