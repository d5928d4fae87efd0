extends NpcTestCase
## The game clock while the scene tree is paused, and at other speeds of the engine.

const FRAMES := 30


func run() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	NpcServer.start()
	check(not NpcServer.has_game_time(), "The time is known before there is a save.")
	check(await until(NpcServer.is_playing), "It never played.")
	check(NpcServer.has_game_time(), "The time is not known while the save is played.")
	result["runs"] = await _get_advance()
	get_tree().paused = true
	result["paused"] = await _get_advance()
	var reply := NpcServer.say("npc_1", "Zoë", "Hello?")
	result["answered"] = await reply.done()
	NpcServer.clock_runs_while_paused = true
	result["wanted"] = await _get_advance()
	NpcServer.clock_runs_while_paused = false
	get_tree().paused = false
	Engine.time_scale = 0.0
	result["standing"] = await _get_advance()
	Engine.time_scale = 10.0
	result["fast"] = await _get_advance()
	Engine.time_scale = 1.0


func _get_advance() -> float:
	await get_tree().process_frame
	var before := NpcServer.game_time_s
	await let_frames_pass(FRAMES)
	return NpcServer.game_time_s - before
