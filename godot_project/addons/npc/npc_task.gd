class_name NpcTask
extends RefCounted
## The action of an [NpcAgent] in other hands, such as those of a behaviour tree or a state machine: the mind decides what
## the character does, and the tree moves the body.
##
## Clear [member NpcAgent.carries_out]. When [signal NpcAgent.action_started] is emitted, make a task. Call [method set_out],
## bring the body to [method get_goal], and call [method arrive]. The character then acts until the time of the action is
## over. Call [method end] if it is done before, and [method fail] if it cannot be done. Stop when [method is_current]
## returns [code]false[/code]: the mind has decided on something else.

## The action, as the mind has decided on it.
var action: NpcAction

var _agent: NpcAgent


## Makes a task of the current action of an agent.
func _init(of: NpcAgent) -> void:
	_agent = of
	action = of.action


## Returns [code]false[/code] once the action is over, has failed, or was replaced by another.
func is_current() -> bool:
	if action == null or not is_instance_valid(_agent) or _agent.action != action:
		return false
	return _agent._server.game_time_s < action.end_s or _agent.doing != NpcAgent.Doing.NOTHING


## Returns the global position where the action takes place: a [Vector2], or a [Vector3] in 3D. Returns [code]null[/code] if
## the scene has no such place or object; then call [method fail].
func get_goal() -> Variant:
	return _agent.get_spot_of(action.address)


## Shows the character on the way to where the action takes place. Others see it walk there.
func set_out() -> void:
	if is_current():
		_agent.doing = NpcAgent.Doing.WALKING


## Lets the character do the action where the body stands: the object takes its state, others see it, and the mind is told.
## Returns [code]false[/code] if a rule forbids it, such as an object that is taken. The action has then failed.
func arrive() -> bool:
	if not is_current():
		return false
	if _agent.doing != NpcAgent.Doing.ACTING:
		_agent._runner.act_here()
	return is_current() and _agent.doing == NpcAgent.Doing.ACTING


## Ends the action before its time, because it is done.
func end() -> void:
	if is_current():
		_agent._server.report_outcome(_agent.persona_id, action.action_id, "done", _agent.get_place_address())
		_agent._runner.finish()
		_agent.action = null


## Ends the action because it cannot be done. [param reason] is a phrase that the mind remembers, such as "the door is locked".
func fail(reason: String, why := NpcRules.Why.UNREACHABLE) -> void:
	if is_current():
		_agent._runner.fail(reason, why)
