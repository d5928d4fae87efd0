extends NpcTestCase
## The server is stopped in its tracks for a while, and goes on: its session is still there, and frames never waited.


func run() -> void:
	var losses: Array[String] = []
	var connections: Array[int] = [0]
	NpcServer.auto_clock = false
	NpcServer.ack_timeout_s = 1.0
	NpcServer.connected.connect(func() -> void: connections[0] += 1)
	NpcServer.disconnected.connect(func(reason: String) -> void: losses.append(reason))
	NpcServer.start()
	check(await until(NpcServer.is_playing, 60.0), "It never played.")
	var server := str(NpcServer.get_server_pid())
	for i: int in 60:
		NpcServer.perceive("mara_voss", "event", "", "Event number %d happens" % i, "millbrook:lane:square")
		if i == 30:
			OS.execute("kill", ["-STOP", server])
		await get_tree().process_frame
	var before := frames
	check(await until(func() -> bool: return not losses.is_empty()), "The silence was not noticed.")
	await get_tree().create_timer(1.0).timeout
	var meanwhile := frames - before
	OS.execute("kill", ["-CONT", server])
	check(await until(func() -> bool: return NpcServer._log.waiting() == 0, 40.0), "%d were never stored." % NpcServer._log.waiting())
	result = {
		"losses": losses,
		"frames": meanwhile,
		"last": NpcServer._log.last_stored_seq,
		"same_server": server == str(NpcServer.get_server_pid())
	}
