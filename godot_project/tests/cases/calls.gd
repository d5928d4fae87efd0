extends NpcTestCase
## What a game's menus and dialogues call: slots before play begins, lines in a row, and the end of a talk.

const LINES := 20


func run() -> void:
	NpcServer.auto_clock = false
	await _manage_slots()
	await _say_in_a_row()
	await _walk_off()


## A main menu lists and deletes slots, and begins to play with the server that it has started.
func _manage_slots() -> void:
	var listed := NpcServer.list_saves()
	check(await listed.done(), "No list: %s" % listed.error)
	result["slots"] = (listed.response["saves"] as Array).map(func(save: Dictionary) -> String: return save["slot"])
	result["menu"] = NpcServer.State.find_key(NpcServer.state)
	var lost := NpcServer.say("npc_1", "Zoë", "Hello?")
	check(not await lost.done() and lost.error.reason == "STOPPED", "A line waits for a save that nobody opens.")
	check(await NpcServer.delete_save("morning").done(), "The slot was not deleted.")
	listed = NpcServer.list_saves()
	await listed.done()
	result["left"] = (listed.response["saves"] as Array).map(func(save: Dictionary) -> String: return save["slot"])
	var pid := NpcServer.get_server_pid()
	NpcServer.start("", "", "evening")
	check(await until(NpcServer.is_playing), "It never played.")
	check(NpcServer.get_server_pid() == pid and NpcServer.slot == "evening", "Play needs another server than the menu.")
	check(await NpcServer.list_saves().done(), "No list while a save is played.")


func _say_in_a_row() -> void:
	var order: Array[int] = []
	var replies: Array[NpcReply] = []
	for i: int in LINES:
		var reply := NpcServer.say("npc_1", "Zoë", "number %d" % i)
		reply.finished.connect(func() -> void: order.append(i))
		replies.append(reply)
	check(await until(func() -> bool: return order.size() == LINES), "Not all were answered: %s" % str(order))
	result["order"] = order


func _walk_off() -> void:
	var player := _add_body("Zoë", Vector2(32, 0))
	player.add_to_group(NpcAgent.PLAYER_GROUP)
	var agent := NpcAgent.new()
	agent.persona_id = "npc_2"
	_add_body("Npc", Vector2.ZERO).add_child(agent)
	check(NpcAgent.by_id("npc_2") == agent, "An agent is not found by its id.")
	await NpcServer.say("npc_2", "Zoë", "Hello?").done()
	# The stand-in ends each talk with its first answer.
	result["after_goodbye"] = NpcServer._players._talks.size()
	var lasting := NpcServer.say("npc_2", "Zoë", "Be long")
	await lasting.done()
	player.position.x = NpcServer.talk_distance_m * NpcServer.pixels_per_metre - 16.0
	await get_tree().create_timer(NpcPlayers.LOOK_S * 2.0).timeout
	result["near"] = NpcServer._players._talks.size()
	player.position.x += 32.0
	check(await until(func() -> bool: return NpcServer._players._talks.is_empty()), "Who walks off goes on talking.")
	var ended := NpcServer.end_talk("npc_2", "Zoë")
	check(await ended.done(), "A talk cannot be ended: %s" % ended.error)
	result["ended"] = ended.response["ended"]


func _add_body(called: String, at: Vector2) -> Node2D:
	var body := Node2D.new()
	body.name = called
	body.position = at
	add_child(body)
	return body
