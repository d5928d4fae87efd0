extends NpcTestCase
## Awaited answers: two at once to one person, one whose server is killed, one that breaks off, and one without a
## server.


func run() -> void:
	var failures: Array[String] = []
	var connections: Array[int] = [0]
	NpcServer.auto_clock = false
	NpcServer.connected.connect(func() -> void: connections[0] += 1)
	NpcServer.failed.connect(func(error: NpcError) -> void: failures.append(error.reason))
	NpcServer.start()
	var first := NpcServer.say("npc_1", "Zoë", "Hello?")
	var second := NpcServer.say("npc_1", "Yan", "Hello?")
	check(not first.is_finished, "say() waited for the server.")
	check(await first.done() and await second.done(), "No answers: %s" % str([first.error, second.error]))
	result["texts"] = [first.text, second.text]
	result["actions"] = first.actions
	result["ended"] = first.ended
	var lost := NpcServer.say("npc_1", "Zoë", "Be silent")
	var reasons: Array[String] = []
	lost.failed.connect(func(error: NpcError) -> void: reasons.append(error.reason))
	check(await until(func() -> bool: return lost.text == "Hm"), "The answer did not begin: " + lost.text)
	OS.kill(NpcServer.get_server_pid())
	check(not await lost.done(), "An answer that was cut off counts as whole.")
	result["lost"] = [lost.error.reason, lost.text, reasons]
	check(await until(func() -> bool: return connections[0] == 2), "It did not connect again.")
	var torn := NpcServer.say("npc_1", "Zoë", "Be gone")
	check(not await torn.done(), "A line went well that was torn off.")
	result["torn"] = torn.error.reason
	check(await until(func() -> bool: return connections[0] == 3), "It did not connect again after a torn line.")
	var refused := NpcServer.say("nobody", "Zoë", "Hello?")
	check(not await refused.done(), "Nobody answered.")
	result["refused"] = [refused.error.reason, refused.error.npc_id]
	check(failures.has("UNKNOWN_NAME"), "A line that fails is not told to all: %s" % str(failures))
	NpcServer.stop()
	var late := NpcServer.save_game("evening")
	check(not late.is_finished, "A request is over before one can wait for it.")
	check(not await late.done(), "A save without a server went well.")
	result["late"] = late.error.reason
