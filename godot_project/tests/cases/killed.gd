extends NpcTestCase
## Perceptions go on while the server is killed again and again. Each must be stored once.


func run() -> void:
	var total := int(argument("total", "300"))
	var kills := int(argument("kills", "3"))
	var npc := argument("npc", "npc_1")
	var place := argument("place", "town:square")
	var killed := 0
	var losses: Array[String] = []
	var connections: Array[int] = [0]
	NpcServer.auto_clock = false
	NpcServer.connected.connect(func() -> void: connections[0] += 1)
	NpcServer.disconnected.connect(func(reason: String) -> void: losses.append(reason))
	NpcServer.start()
	check(await until(func() -> bool: return connections[0] == 1), "Never connected.")
	for i: int in total:
		NpcServer.perceive(npc, "event", "", "Event number %d happens" % i, place)
		if kills > 0 and i > 0 and i % (total / (kills + 1)) == 0:
			kills -= 1
			killed += 1
			check(await until(func() -> bool: return connections[0] == killed), "It did not connect again.")
			OS.kill(NpcServer.get_server_pid())
			# The game goes on meanwhile: some of its events fall into the gap.
		await get_tree().process_frame
	var all_stored := func() -> bool: return NpcServer._log.count_unstored() == 0
	check(await until(all_stored), "%d events were never stored." % NpcServer._log.count_unstored())
	result = {"connections": connections[0], "losses": losses, "last": NpcServer._log.last_stored_seq, "frames": frames}
