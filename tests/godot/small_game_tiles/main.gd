extends Node
## Plays the game with keys, as a player would, and prints what came of it.

const PATIENCE_S := 150.0

var _said: Dictionary = {}
var _game: Node2D
var _arrived: Array[String] = []
var _not_done: Array[String] = []


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	var slots := NpcServer.list_saves()
	await slots.done()
	_said["slots_before"] = (slots.response["saves"] as Array).size()
	_game = (load("res://game.gd") as GDScript).new()
	add_child(_game)
	for agent: NpcAgent in NpcAgent.all():
		agent.walk_speed = 160.0
		agent.arrived.connect(_on_arrived)
		agent.action_failed.connect(_on_action_failed)
	NpcServer.talk_distance_m = 4.0
	NpcServer.start()
	await _until("all are at work", func() -> bool: return ["brand", "ada", "nils"].all(func(id: String) -> bool: return id in _arrived))
	await _shop_and_steal()
	await _pause()
	await _take_a_quest()
	await _go_back()
	_said["arrived"] = _arrived
	_said["not_done"] = _not_done
	_said["failures"] = _game.get("failures")
	print("RESULT ", JSON.stringify(_said))
	NpcServer.stop()
	get_tree().quit()


func _shop_and_steal() -> void:
	_press(KEY_1)
	await _until("it is saved", await_signal(NpcServer.saved))
	await _walk_to(NpcAgent.by_id("brand"))
	_said["shop"] = await _say("Could I see a sword, please?")
	_said["shopped"] = _game.get("shopped")
	_press(KEY_T)
	await _until("it is stored", func() -> bool: return NpcServer._log.count_unstored() == 0)
	await _until("he remembers it", await _remembers("brand", "takes a sword"))
	_said["theft"] = await _count_memories("brand", "takes a sword")


func _pause() -> void:
	_press(KEY_P)
	await _until("it is paused", func() -> bool: return get_tree().paused)
	var before := NpcServer.game_time_s
	for i: int in 60:
		await get_tree().process_frame
	_said["paused"] = NpcServer.game_time_s - before
	_press(KEY_P)
	await _until("it goes on", func() -> bool: return NpcServer.game_time_s > before)


func _take_a_quest() -> void:
	await _walk_to(NpcAgent.by_id("ada"))
	_said["walked_off"] = NpcServer._players._talks.all(func(talk: NpcPlayers.Talk) -> bool: return talk.npc_id != "brand")
	_said["quest"] = await _say("Do you have a quest for me, please?")
	_said["quests"] = (_game.get("quests") as Array).duplicate()
	_press(KEY_2)
	await _until("it is saved", await_signal(NpcServer.saved))


## The first slot knows of no theft and no quest. The second does.
func _go_back() -> void:
	for slot: Array in [[KEY_F1, "one"], [KEY_F2, "two"]]:
		_press(slot[0] as Key)
		await _until("it is loaded", await_signal(NpcServer.loaded))
		var thefts := await _count_memories("brand", "takes a sword")
		_said["slot_" + str(slot[1])] = [_game.get("has_sword"), (_game.get("quests") as Array).size(), thefts]
		_arrived.clear()
		await _until("they go on", func() -> bool: return not _arrived.is_empty())
	var slots := NpcServer.list_saves()
	await slots.done()
	_said["slots"] = (slots.response["saves"] as Array).map(func(save: Dictionary) -> String: return save["slot"])


## Holds arrow keys until the player is near somebody. The doors lie in the rows 3 and 4.
func _walk_to(agent: NpcAgent) -> void:
	var goal := agent.get_body_position()
	var door := Vector2(8.5, 4.5) * NpcTestTiles.TILE
	if (_at().x < door.x) != (goal.x < door.x):
		await _hold_towards(door + Vector2(48 if _at().x > door.x else -48, 0), 6.0)
		await _hold_towards(door + Vector2(48 if _at().x < door.x else -48, 0), 6.0)
	await _hold_towards(goal, 40.0)


func _hold_towards(goal: Vector2, near: float) -> void:
	await _until("the player is at %s" % goal, func() -> bool: return _steer(goal, near))
	_steer(_at(), 0.0)


func _steer(goal: Vector2, near: float) -> bool:
	var way := goal - _at()
	var there := way.length() <= near
	_hold(KEY_LEFT, not there and way.x < -3.0)
	_hold(KEY_RIGHT, not there and way.x > 3.0)
	_hold(KEY_UP, not there and way.y < -3.0)
	_hold(KEY_DOWN, not there and way.y > 3.0)
	return there


func _say(words: String) -> bool:
	_game.set("line", words)
	var before := (_game.get("replies") as Array).size()
	_press(KEY_E)
	await _until("somebody is spoken to", func() -> bool: return (_game.get("replies") as Array).size() > before)
	return await ((_game.get("replies") as Array).back() as NpcReply).done()


func _remembers(npc_id: String, words: String) -> Callable:
	var found := await _count_memories(npc_id, words)
	while found == 0:
		await get_tree().create_timer(0.2).timeout
		found = await _count_memories(npc_id, words)
	return func() -> bool: return found > 0


func _count_memories(npc_id: String, words: String) -> int:
	var memories := NpcServer.call_server("MindService/ListMemories", {"npc_id": npc_id, "page_size": 200})
	await memories.done()
	return (memories.response["memories"] as Array).filter(func(memory: Dictionary) -> bool: return words in str(memory["text"])).size()


func _at() -> Vector2:
	return _game.call("get_player_position")


func _press(key: Key) -> void:
	_send(key, true)
	_send(key, false)


func _hold(key: Key, down: bool) -> void:
	if Input.is_key_pressed(key) != down:
		_send(key, down)


func _send(key: Key, down: bool) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.physical_keycode = key
	event.pressed = down
	Input.parse_input_event(event)


## Returns a condition that holds once a signal with one argument has come.
func await_signal(what: Signal) -> Callable:
	var came: Array[bool] = [false]
	what.connect(func(_argument: Variant) -> void: came[0] = true, CONNECT_ONE_SHOT)
	return func() -> bool: return came[0]


func _until(what: String, condition: Callable) -> void:
	var end := Time.get_ticks_msec() + int(PATIENCE_S * 1000.0)
	while not condition.call():
		if Time.get_ticks_msec() > end:
			print("RESULT ", JSON.stringify({"stuck": what, "said": _said, "failures": _game.get("failures"), "at": str(_at())}))
			NpcServer.stop()
			get_tree().quit(1)
			end += 600_000
		await get_tree().physics_frame


func _on_arrived(action: NpcAction) -> void:
	_arrived.append(action.npc_id)


func _on_action_failed(action: NpcAction, reason: String) -> void:
	_not_done.append("%s %s: %s" % [action.npc_id, action.address, reason])
