class_name NpcActionRunner
extends RefCounted
## Carries out the actions of an [NpcAgent]: walks there, uses the object, and reports the outcome.

## Metres of [member NpcSpace.scale] that a body walks between two checks whether it may enter the place ahead.
const RULES_STEP_M := 0.125
## Seconds of real time for which a body stays after a talk, at most, while its lines are still shown.
const LINGERS_S := 6.0

var _agent: NpcAgent
var _server: NpcServerNode
var _mover: NpcMover
## The object of the action, to which the body goes.
var _object: NpcObjectCore = null
## Where the object was when the body set out for it.
var _object_at := Vector3.ZERO
## The use of the object, once the body is there.
var _use: NpcUse = null
var _shown: String = ""
var _checked := Vector3.ZERO
var _waits: bool = false
## If [code]true[/code], the body comes up to somebody, or has done so.
var _comes_up: bool = false
## If [code]true[/code], the outcome of the action was reported.
var _is_told: bool = false
## If [code]true[/code], the body has appeared where others may stand.
var _has_appeared: bool = false
var _lingers_s: float = 0.0
var _waited_s: float = 0.0


func _init(agent: NpcAgent, server: NpcServerNode, mover: NpcMover) -> void:
	_agent = agent
	_server = server
	_mover = mover


## Returns the object in use, or [code]null[/code].
func get_object_in_use() -> NpcObjectCore:
	return _use.object if _use != null and _use.is_valid() else null


## Returns how far the character is with its action, for [NpcAbsent].
func get_progress() -> NpcAbsent.Progress:
	var is_under_way := _waits or _agent.doing == NpcAgent.Doing.WALKING
	if _agent.doing == NpcAgent.Doing.ACTING or (is_under_way and _is_told):
		return NpcAbsent.Progress.THERE
	return NpcAbsent.Progress.UNDER_WAY if is_under_way else NpcAbsent.Progress.NONE


## Returns the state that the object in use gets when the action ends; empty for no change.
func get_state_after() -> String:
	return _use.get_state_after() if get_object_in_use() != null else ""


## Returns the state that the object in use had before it was used.
func get_state_before() -> String:
	return _use.state_before if _use != null else ""


## Returns what others see the character do, or what it did last; empty if it has not arrived or the action failed.
func get_shown() -> String:
	return _shown


## Ends the current action and begins another.
func begin(next: NpcAction) -> void:
	if not next.talks_with.is_empty():
		_lingers_s = 0.0
	elif _agent.action != null and not _agent.action.talks_with.is_empty():
		_lingers_s = LINGERS_S
	finish()
	if not _agent.is_inside_tree():
		return  # whoever was told of the end has taken the body away
	_shown = ""
	_comes_up = false
	_is_told = false
	_agent.action = next
	_waits = true
	_agent.action_started.emit(next)


## Lets the body act where an [NpcTask] has brought it.
func act_here() -> void:
	_waits = false
	_find_object()
	_comes_up = _can_talk_here()
	_object = null if _comes_up else _object
	_arrive()


## Lets the body look at the object in use again.
func face_object() -> void:
	var object := get_object_in_use()
	if object != null:
		_mover.heading = NpcSpace.flat_direction(_agent.get_point(), object.get_point())


## Continues an action where the character has already arrived. Reports nothing, because the mind knows of the arrival.
func appear(action: NpcAction) -> void:
	_agent.action = action
	_agent.action_started.emit(action)
	_find_object()
	var goal: Variant = _agent.find_goal(action.address)
	if goal == null:
		fail("there is no such place here", NpcRules.Why.UNREACHABLE)
		return
	_is_told = true
	if _agent.appear_at_action:
		_agent.space.put(goal as Vector3)
		_has_appeared = true
		_make_room()
		_act()
	else:
		_waits = true


## Lets the body walk up to a player during the current action. It stays where it is if there is no way.
func walk_up_to(where: Vector3) -> void:
	var path := NpcTalkWay.find_up_to(_agent, _mover, where) if _agent.action != null and _agent.carries_out else PackedVector3Array()
	if path.is_empty():
		return
	if _agent.doing == NpcAgent.Doing.ACTING:
		_leave_object()
	_object = null
	_waits = false
	_comes_up = true
	_shown = ""
	if not _agent.action.talks_with.is_empty():
		_show(_agent.action)
	_walk_along(path)


## Drops the current action and reports nothing.
func forget() -> void:
	_mover.stop()
	if get_object_in_use() != null:
		_use.object.users.erase(_agent)
	_use = null
	_agent.doing = NpcAgent.Doing.NOTHING
	_shown = ""
	_agent.action = null
	_object = null
	_waits = false
	_comes_up = false
	_is_told = false
	_has_appeared = false
	_lingers_s = 0.0


## Advances the action by one frame.
func step(delta: float) -> void:
	if _has_appeared:
		_make_room()
	if _waits and _agent.carries_out and not _lingers(delta) and can_set_out(delta):
		_waits = false
		_lingers_s = 0.0
		_set_out()
	match _agent.doing:
		NpcAgent.Doing.WALKING when _server.time_scale > 0.0 and _agent.carries_out:  # nobody walks while the clock stands still
			_walk(delta)
			_follow_object()
		NpcAgent.Doing.ACTING:
			if _server.game_time_s >= _agent.action.end_s:
				finish()
			elif _agent.carries_out:
				_follow_object()


## Returns [code]true[/code] while the lines of a talk that is over are still shown.
func _lingers(delta: float) -> bool:
	_lingers_s -= delta
	return _lingers_s > 0.0 and _server.is_shown_talking(_agent.persona_id)


## Returns [code]true[/code] once there is a navigation map, or after [constant NpcAgent.MAP_PATIENCE_S] without one.
func can_set_out(delta: float) -> bool:
	if not _mover.can_navigate():
		_waited_s += delta
		if _waited_s < NpcAgent.MAP_PATIENCE_S:
			return false
		NpcSetup.report_no_navigation(_agent, _server)
	_waited_s = 0.0
	return true


## Moves a body aside that has appeared where others stand. In a scene that has just been opened there is no navigation map
## yet, and it waits for that.
func _make_room() -> void:
	if _mover.can_navigate():
		_has_appeared = false
		_agent.space.put(NpcSpots.find_free(_agent, _agent.get_point()))
		face_object()


## Ends the current action.
func finish() -> void:
	var was := _agent.doing
	if was == NpcAgent.Doing.ACTING:
		_leave_object()
	_mover.stop()
	_agent.doing = NpcAgent.Doing.NOTHING
	_waits = false
	_has_appeared = false
	if _agent.action != null and was != NpcAgent.Doing.NOTHING:
		_agent.action_finished.emit(_agent.action)


## Fails the action if its place has closed. Everybody leaves at closing time, except those who have a key.
func leave_closed_place() -> void:
	var now := _server.game_time_s
	for place: NpcPlaceCore in NpcPlaceCore.around(_agent.action.address):
		if not place.is_open_at(now) and not NpcRules.holds_key(_agent.persona_id, place):
			_leave_object()
			fail(NpcRules.why_barred(_agent.persona_id, place.address, now), NpcRules.Why.CLOSED)
			return


## Returns [code]true[/code] while the action keeps [param object] in the state it has set.
func is_changing(object: NpcObjectCore) -> bool:
	return _use != null and _use.is_changing() and get_object_in_use() == object


func _set_out() -> void:
	var address := _agent.action.address
	_find_object()
	if _can_talk_here():
		_come_up()
		return
	var goal: Variant = _agent.find_goal(address)
	if goal == null:
		fail("there is no such place here", NpcRules.Why.UNREACHABLE)
		return
	var path := _mover.find_path(goal as Vector3)
	if path.is_empty():
		fail("there is no way to get there", NpcRules.Why.UNREACHABLE)
		return
	var arrival_s := _server.game_time_s + _agent.get_travel_s(path)
	var reason := NpcRules.why_barred(_agent.persona_id, address, arrival_s)
	if not reason.is_empty():
		fail(reason, NpcRules.Why.CLOSED)
		return
	var free := NpcSpots.find_free(_agent, path[-1])
	var beside := _mover.find_path(free) if free != path[-1] else path
	_walk_along(beside if not beside.is_empty() else path)


func _find_object() -> void:
	_object = NpcObjectCore.by_address(_agent.action.address, _agent.is_3d())
	_object_at = _object.get_spot() if _object != null else Vector3.ZERO


## Goes after the object of the action if it has been moved. Reports nothing, unless there is no way to it now.
func _follow_object() -> void:
	if _agent.doing == NpcAgent.Doing.NOTHING or not _is_object_here():
		return
	if not NpcSpace.is_near(_object.get_spot(), _object_at, _agent.reach_tolerance):
		_leave_object()
		_set_out()


func _is_object_here() -> bool:
	return _object != null and is_instance_valid(_object.node) and _object.node.is_inside_tree()


func _walk_along(path: PackedVector3Array) -> void:
	_mover.follow(path)
	_checked = _agent.get_point()
	_agent.doing = NpcAgent.Doing.WALKING


## Returns [code]true[/code] if the action is a talk and the body is in its place. Who stands at an object stays there.
func _can_talk_here() -> bool:
	var is_at_object := _object != null and NpcSpace.is_near(_agent.get_point(), _object.get_spot(), _agent.reach_tolerance)
	return not is_at_object and NpcTalkWay.is_in_place(_agent, _object)


## Begins a talk where the body is, or after it has come up to the character it talks with.
func _come_up() -> void:
	_object = null
	_comes_up = true
	_show(_agent.action)
	var path := NpcTalkWay.find_to_partner(_agent, _mover)
	if path.is_empty():
		_arrive()
	else:
		_walk_along(path)


func _walk(delta: float) -> void:
	var next := _mover.get_next_point(delta)
	if next.distance_to(_checked) > RULES_STEP_M * _agent.space.scale:
		if not _can_enter(_checked, next):
			return
		_checked = next
	match _mover.move_to(next, delta):
		NpcMover.Step.THERE:
			_arrive()
		NpcMover.Step.BLOCKED when _comes_up:
			_arrive()  # it comes up to talk, and can do so from here
		NpcMover.Step.BLOCKED:
			fail("something is in the way", NpcRules.Why.UNREACHABLE)


## Returns [code]false[/code], and fails the action, if the body may not enter the place ahead. A place that it only
## passes through is not checked.
func _can_enter(here: Vector3, next: Vector3) -> bool:
	var place := NpcPlaceCore.at(next, _agent.is_3d())
	if place == null or place.has_point(here) or not (_agent.action.address + ":").begins_with(place.address + ":"):
		return true
	var barred := NpcRules.why_barred(_agent.persona_id, place.address, _server.game_time_s, here)
	if not barred.is_empty():
		fail(barred, NpcRules.Why.CLOSED)
		return false
	var full := NpcRules.why_full(place.address, _agent, here)
	if not full.is_empty():
		fail(full, NpcRules.Why.OCCUPIED)
	return full.is_empty()


func _arrive() -> void:
	_mover.stop()
	var action := _agent.action
	var talks := not action.talks_with.is_empty()
	if _object != null and not _is_object_here():
		_object = null
		if not talks:
			fail("there is no such place here", NpcRules.Why.UNREACHABLE)
			return
	if not _comes_up and _can_talk_here():
		_come_up()  # it came from elsewhere, and goes on to whom it talks with
		return
	var refusal := _get_refusal()
	if talks and _object != null and not refusal.is_empty():
		_object = null  # one can talk beside it
	elif not talks and not refusal.is_empty():
		fail(refusal[0] as String, refusal[1] as NpcRules.Why)
		return
	_tell_arrival()
	_act()


## Returns why the action cannot be done here, and which kind of reason that is; empty if it can.
func _get_refusal() -> Array:
	var action := _agent.action
	var full := NpcRules.why_full(action.address, _agent)
	if not full.is_empty():
		return [full, NpcRules.Why.OCCUPIED]
	var unsuitable := _object.why_not(action.object_action) if _object != null else ""
	return [unsuitable, NpcRules.Why.UNSUITABLE] if not unsuitable.is_empty() else []


## Reports that the body has arrived, once: it may come up to a player afterwards. Who comes up to somebody, or talks beside
## an object, is not at the address of the action.
func _tell_arrival() -> void:
	if _is_told:
		return
	_is_told = true
	var action := _agent.action
	var place := NpcPlaceCore.at(_agent.get_point(), _agent.is_3d())
	var is_elsewhere := place != null and _object == null and (_comes_up or not action.talks_with.is_empty())
	var address := place.address if is_elsewhere else action.address
	_server.report_outcome(_agent.persona_id, action.action_id, "arrived", address)


func _act() -> void:
	var action := _agent.action
	_agent.doing = NpcAgent.Doing.ACTING
	_show(action)
	if _object != null:
		_use = NpcUse.new(_agent, _object)
		face_object()
	_agent.arrived.emit(action)


func _show(action: NpcAction) -> void:
	_shown = action.seen_as if not action.seen_as.is_empty() else action.predicate()


## Ends the use of the object.
func _leave_object() -> void:
	var use := _use
	var is_valid := get_object_in_use() != null
	_use = null
	_agent.doing = NpcAgent.Doing.NOTHING
	if is_valid:
		use.end(_server.game_time_s >= _agent.action.end_s)


## Ends the action because it cannot be done. The mind is told why, and decides again.
func fail(reason: String, why: NpcRules.Why) -> void:
	_mover.stop()
	_agent.doing = NpcAgent.Doing.NOTHING
	_shown = ""
	_is_told = true
	_server.report_outcome(_agent.persona_id, _agent.action.action_id, "failed", _agent.get_place_address(), reason, why)
	var action := _agent.action
	_agent.action_failed.emit(action, reason)
	if _agent.action == action:
		_agent.action = null  # nobody does what cannot be done, not even in words
