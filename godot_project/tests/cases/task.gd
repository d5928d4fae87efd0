extends NpcTestCase
## An action in the hands of something else than its agent: see [NpcTask]. Without a server.

const STOVE := "millbrook:mara_house:kitchen:stove"

var _mara: NpcAgent


func run() -> void:
	NpcServer.auto_clock = false
	open_town()
	await get_tree().process_frame
	NpcServer.game_time_s = 100_000.0
	_mara = NpcAgent.by_id("mara_voss")
	_mara.carries_out = false
	var stove := NpcObject.by_address(STOVE)

	tell(_mara, {"action_id": "one", "address": STOVE, "object_state": "on", "object_state_after": "off"})
	var from := _mara.get_body_position()
	await let_steps_pass(30)
	var task := NpcTask.new(_mara)
	result["stands"] = _mara.get_body_position() == from and task.is_current()
	task.set_out()
	await let_steps_pass(10)
	result["on_the_way"] = [_mara.get_predicate(), _mara.get_way() == STOVE, _mara.get_body_position() == from]
	(_mara.get_parent() as Node2D).global_position = task.get_goal() as Vector2
	result["arrives"] = [task.arrive(), stove.state, _mara.get_object_in_use() == stove]
	task.end()
	result["ended"] = [task.is_current(), stove.state, _mara.doing == NpcAgent.Doing.NOTHING]

	tell(_mara, {"action_id": "two", "address": STOVE})
	var second := NpcTask.new(_mara)
	tell(_mara, {"action_id": "three", "address": STOVE})
	second.fail("the door is locked")
	result["replaced"] = [second.is_current(), second.arrive(), NpcTask.new(_mara).is_current()]
	var third := NpcTask.new(_mara)
	third.fail("the door is locked")
	result["failed"] = [third.is_current(), _mara.action == null]

	stove.apply_state("burning")
	tell(_mara, {"action_id": "four", "address": STOVE, "object_action": "cook"})
	result["refused"] = NpcTask.new(_mara).arrive()
	tell(_mara, {"action_id": "five", "address": "millbrook:nowhere"})
	result["nowhere"] = NpcTask.new(_mara).get_goal() == null
	tell(_mara, {"action_id": "six", "address": STOVE, "object_action": "put out the fire", "end_s": 100_060})
	var last := NpcTask.new(_mara)
	last.set_out()
	last.arrive()
	NpcServer.game_time_s = 100_060.0
	await until(func() -> bool: return _mara.doing == NpcAgent.Doing.NOTHING)
	result["over"] = [last.is_current(), stove.state]
	result["outcomes"] = NpcServer._log._events.filter(_is_outcome).map(_describe)


func _is_outcome(event: Dictionary) -> bool:
	return event.has("outcome") and (event["outcome"] as Dictionary)["npc_id"] == "mara_voss"


func _describe(event: Dictionary) -> String:
	var outcome := event["outcome"] as Dictionary
	return "%s %s" % [outcome["action_id"], str(outcome["status"]).trim_prefix("OUTCOME_STATUS_")]
