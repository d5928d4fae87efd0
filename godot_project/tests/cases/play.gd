extends NpcTestCase
## Everything that is sent and received, in one session. The game has started the server, unless address= and token= name one.

var heard: Dictionary = {}


func run() -> void:
	NpcServer.auto_clock = false
	_listen_to_minds()
	NpcServer.connected.connect(func() -> void: _hear("connected", true))
	NpcServer.failed.connect(func(error: NpcError) -> void: _hear("failed", str(error)))
	NpcServer.path_queried.connect(
		func(npc_id: String, id: String, addresses: PackedStringArray) -> void: _hear("queries", [npc_id, id, addresses])
	)
	NpcServer.notice_received.connect(func(level: String, reason: String, _m: String) -> void: _hear("notices", [level, reason]))
	NpcServer.game_action_received.connect(
		func(npc_id: String, call_id: String, name: String, args: Dictionary) -> void:
			_hear("calls", [npc_id, name, args])
			NpcServer.report_game_action(npc_id, call_id, false, "there is no bread")
	)
	NpcServer.answer_updated.connect(func(_id: String, text: String) -> void: _hear("pieces", text))
	NpcServer.answer_finished.connect(func(_id: String, text: String, ended: bool) -> void: _hear("answers", [text, ended]))
	NpcServer.saved.connect(func(slot: String) -> void: _hear("saved", slot))
	NpcServer.loaded.connect(func(slot: String) -> void: _hear("loaded", slot))
	# There is no server yet: all of this must be kept, not lost.
	NpcServer.start(argument("address"), argument("token"))
	NpcServer.perceive("npc_1", "person", "Zoë", "asks", "town:square", 1.5)
	NpcServer.report_object("town:square:well", "dry", "npc_1")
	NpcServer.say("npc_1", "Zoë", "Hello?")
	NpcServer.save_game("evening")
	check(NpcServer.state != NpcServer.State.PLAYING, "start() waited for the server.")
	check(await until(func() -> bool: return heard.has("saved") and heard.has("answers")), "No save or no answer: %s" % heard)
	heard["stored_before_save"] = NpcServer._log.last_stored_seq
	heard["time_at_start"] = NpcServer.game_time_s
	NpcServer.load_game("evening")
	check(await until(func() -> bool: return heard.has("loaded")), "Nothing was loaded: %s" % heard)
	heard["time_after_load"] = NpcServer.game_time_s
	NpcServer.perceive("npc_2", "event", "", "The bell rings", "town:square")
	check(await until(func() -> bool: return (heard["actions"] as Array).size() == 2), "No action in the new epoch: %s" % heard)
	heard["model"] = NpcServer.model
	heard["decisions"] = NpcServer.decisions
	result = heard


func _listen_to_minds() -> void:
	NpcServer.action_received.connect(
		func(npc_id: String, action: NpcAction) -> void: _hear("actions", [npc_id, action.sentence, action.source, action.end_s])
	)
	NpcServer.speech_received.connect(
		func(npc_id: String, text: String, to: PackedStringArray, _partial: bool) -> void: _hear("speeches", [npc_id, text, to])
	)
	NpcServer.thought_received.connect(
		func(npc_id: String, text: String, source: String) -> void: _hear("thoughts", [npc_id, text, source])
	)
	NpcServer.player_approached.connect(
		func(npc_id: String, player: String, text: String, about: String) -> void: _hear("approaches", [npc_id, player, text, about])
	)
	NpcServer.feelings_received.connect(
		func(npc_id: String, felt: NpcFeelings) -> void: _hear("feelings", [npc_id, felt.mood, felt.get_lowest_need(), felt.needs["food"]])
	)


func _hear(what: String, value: Variant) -> void:
	if not heard.has(what):
		heard[what] = []
	(heard[what] as Array).append(value)
