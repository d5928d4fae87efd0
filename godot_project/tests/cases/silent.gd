extends NpcTestCase
## The server takes events and then says nothing more, with its connection open.


func run() -> void:
	var losses: Array[String] = []
	var connections: Array[int] = [0]
	NpcServer.auto_clock = false
	NpcServer.ack_timeout_s = 1.0
	NpcServer.connected.connect(func() -> void: connections[0] += 1)
	NpcServer.disconnected.connect(func(reason: String) -> void: losses.append(reason))
	NpcServer.start()
	check(await until(func() -> bool: return connections[0] == 1), "Never connected.")
	var before := frames
	for i: int in 12:
		NpcServer.perceive("npc_1", "event", "", "Event %d" % i, "town:square")
		await get_tree().process_frame
	check(await until(func() -> bool: return connections[0] >= 2), "It did not connect again.")
	check(await until(func() -> bool: return NpcServer._log.waiting() == 0), "%d events were not stored." % NpcServer._log.waiting())
	result = {"losses": losses, "frames_meanwhile": frames - before, "connections": connections[0]}
