class_name NpcDoer
extends RefCounted
## The hands of an NpcAgent: sets out for its actions, uses the things there, and says how it went.

## Pixels that a body walks between two looks at whether it may go on into a place.
const RULES_STEP := 4.0

var _agent: NpcAgent
var _server: NpcServerNode
var _mover: NpcMover
var _object: NpcObject = null
var _changes_object: bool = false
var _state_before: String = ""
var _checked := Vector2.ZERO
var _waits: bool = false
var _waited_s: float = 0.0
var _warned: bool = false


func _init(agent: NpcAgent, server: NpcServerNode, mover: NpcMover) -> void:
	_agent = agent
	_server = server
	_mover = mover


## The thing in use now, or null.
func get_object_in_use() -> NpcObject:
	return _object if _agent.doing == NpcAgent.Doing.ACTING and is_instance_valid(_object) else null


## How far the person is with the action, for who lives on without the body.
func get_progress() -> NpcAbsent.Progress:
	if _agent.doing == NpcAgent.Doing.ACTING:
		return NpcAbsent.Progress.THERE
	return NpcAbsent.Progress.UNDER_WAY if _waits or _agent.doing == NpcAgent.Doing.WALKING else NpcAbsent.Progress.NONE


## The state that the thing in use gets when the action is over; empty for no change.
func get_state_after() -> String:
	var object := get_object_in_use()
	if object == null:
		return ""
	var after := _agent.action.object_state_after
	if after.is_empty():
		after = object.get_state_of(_agent.action.object_action, "after")
	return _state_before if after.is_empty() and _changes_object else after


## Ends what is done now and begins something else.
func begin(next: NpcAction) -> void:
	finish()
	_agent.action = next
	_waits = true
	_agent.action_started.emit(next)


## Goes on where the person already is at it: nobody has to walk there, and the minds know of it.
func appear(action: NpcAction) -> void:
	_agent.action = action
	_agent.action_started.emit(action)
	_object = NpcObject.by_address(_agent.get_tree(), action.address)
	var goal: Variant = _agent.get_spot_of(action.address)
	if goal == null:
		_fail("there is no such place here", NpcRules.Why.UNREACHABLE)
		return
	if _agent.appear_at_action:
		(_agent.get_parent() as Node2D).global_position = goal
		_act()
	else:
		_waits = true


## Forgets what was done, without a word to anybody.
func forget() -> void:
	_mover.stop()
	if get_object_in_use() != null:
		_object.users.erase(_agent)
	_agent.doing = NpcAgent.Doing.NOTHING
	_agent.action = null
	_object = null
	_changes_object = false
	_waits = false


## One frame of it.
func step(delta: float) -> void:
	if _waits and can_set_out(delta):
		_waits = false
		_set_out()
	match _agent.doing:
		NpcAgent.Doing.WALKING:
			if _server.time_scale > 0.0:  # while the clock stands, so does everybody
				_walk(delta)
		NpcAgent.Doing.ACTING:
			if _server.game_time_s >= _agent.action.end_s:
				finish()


## True once there is a navigation map, or it did not come in time: then everything is out of reach.
func can_set_out(delta: float) -> bool:
	if not _mover.can_navigate():
		_waited_s += delta
		if _waited_s < NpcAgent.MAP_PATIENCE_S:
			return false
		if not _warned:
			_warned = true
			var words := "NpcAgent '%s' finds no navigation map here, so nobody can walk. Add a NavigationRegion2D with a baked polygon."
			_server.failed.emit(NpcError.make("FAILED_PRECONDITION", "NO_NAVIGATION", words % _agent.persona_id))
	_waited_s = 0.0
	return true


## The action is over.
func finish() -> void:
	var was := _agent.doing
	if was == NpcAgent.Doing.ACTING:
		_leave_object()
	_mover.stop()
	_agent.doing = NpcAgent.Doing.NOTHING
	_waits = false
	if _agent.action != null and was != NpcAgent.Doing.NOTHING:
		_agent.action_finished.emit(_agent.action)


## At closing time everybody is sent out, whatever they had in mind.
func leave_closed_place() -> void:
	var tree := _agent.get_tree()
	var now := _server.game_time_s
	for place: NpcPlace in NpcPlace.around(tree, _agent.action.address):
		if not place.is_open_at(now) and not NpcRules.holds_key(tree, _agent.persona_id, place):
			_leave_object()
			_fail(NpcRules.why_barred(tree, _agent.persona_id, place.address, now), NpcRules.Why.CLOSED)
			return


func _set_out() -> void:
	var tree := _agent.get_tree()
	var address := _agent.action.address
	_object = NpcObject.by_address(tree, address)
	var goal: Variant = _agent.get_spot_of(address)
	if goal == null:
		_fail("there is no such place here", NpcRules.Why.UNREACHABLE)
		return
	var path := _mover.way_to(goal)
	if path.is_empty():
		_fail("there is no way to get there", NpcRules.Why.UNREACHABLE)
		return
	var arrival_s := _server.game_time_s + _agent.get_travel_s(path)
	var reason := NpcRules.why_barred(tree, _agent.persona_id, address, arrival_s)
	if not reason.is_empty():
		_fail(reason, NpcRules.Why.CLOSED)
		return
	_mover.follow(path)
	_checked = _agent.get_body_position()
	_agent.doing = NpcAgent.Doing.WALKING


func _walk(delta: float) -> void:
	var next := _mover.next_point(delta)
	if next.distance_squared_to(_checked) > RULES_STEP * RULES_STEP:
		if not _can_enter(_checked, next):
			return
		_checked = next
	match _mover.move_to(next, delta):
		NpcMover.Step.THERE:
			_arrive()
		NpcMover.Step.BLOCKED:
			_fail("something is in the way", NpcRules.Why.UNREACHABLE)


## False when the body cannot step into the place it goes to: then the action has failed. Others it only passes through.
func _can_enter(here: Vector2, next: Vector2) -> bool:
	var tree := _agent.get_tree()
	var place := NpcPlace.at(tree, next)
	if place == null or place.get_rect().has_point(here) or not (_agent.action.address + ":").begins_with(place.address + ":"):
		return true
	var barred := NpcRules.why_barred(tree, _agent.persona_id, place.address, _server.game_time_s, here)
	if not barred.is_empty():
		_fail(barred, NpcRules.Why.CLOSED)
		return false
	var full := NpcRules.why_full(tree, place.address, _agent)
	if not full.is_empty():
		_fail(full, NpcRules.Why.OCCUPIED)
	return full.is_empty()


func _arrive() -> void:
	_mover.stop()
	var full := NpcRules.why_full(_agent.get_tree(), _agent.action.address, _agent)
	if not full.is_empty():
		_fail(full, NpcRules.Why.OCCUPIED)
		return
	var unsuitable := _object.why_not(_agent.action.object_action) if _object != null else ""
	if not unsuitable.is_empty():
		_fail(unsuitable, NpcRules.Why.UNSUITABLE)
		return
	_server.report_outcome(_agent.persona_id, _agent.action.action_id, "arrived", _agent.action.address)
	_act()


func _act() -> void:
	var action := _agent.action
	_agent.doing = NpcAgent.Doing.ACTING
	_changes_object = false
	if _object != null:
		_object.users.append(_agent)
		_mover.heading = _agent.get_body_position().direction_to(_object.global_position)
		_state_before = _object.state
		var during := action.object_state
		if during.is_empty():
			during = _object.get_state_of(action.object_action, "during")
		if not during.is_empty():
			_changes_object = _object.apply_state(during, _agent.persona_id)
	_agent.arrived.emit(action)


## The thing gets the state that the action leaves. One that is broken off leaves only what it had begun to change.
func _leave_object() -> void:
	var action := _agent.action
	var object := get_object_in_use()
	var after := get_state_after()
	_agent.doing = NpcAgent.Doing.NOTHING
	if object == null:
		return
	object.users.erase(_agent)
	if not _changes_object and _server.game_time_s < action.end_s:
		after = ""
	for other: NpcAgent in object.users:
		if other.is_changing(object):
			return  # a table stays laid while somebody else still eats at it
	if not after.is_empty():
		object.apply_state(after, _agent.persona_id)
	object.used.emit(_agent.persona_id, action.object_action)


## True while it keeps a thing in the state that its action gives it.
func is_changing(object: NpcObject) -> bool:
	return _changes_object and get_object_in_use() == object


func _fail(reason: String, why: NpcRules.Why) -> void:
	_mover.stop()
	_agent.doing = NpcAgent.Doing.NOTHING
	_server.report_outcome(_agent.persona_id, _agent.action.action_id, "failed", _agent.get_place_address(), reason, why)
	_agent.action_failed.emit(_agent.action, reason)
