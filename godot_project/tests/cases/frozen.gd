extends NpcTestCase
## The server is stopped for a while and continued. Its session is still there, and no frame waited.

const LONG_S := 3600.0

var _losses: Array[String] = []


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.ack_timeout_s = LONG_S  # a slow server must not count as silent
	NpcServer.disconnected.connect(_on_lost)
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played.")
	var server := str(NpcServer.get_server_pid())
	for i: int in 60:
		NpcServer.perceive("mara_voss", "event", "", "Event number %d happens" % i, "millbrook:lane:square")
		if i == 30:
			OS.execute("kill", ["-STOP", server])
		await get_tree().process_frame
	NpcServer.ack_timeout_s = 1.0
	check(await until(func() -> bool: return not _losses.is_empty()), "The silence was not noticed.")
	await let_frames_pass(60)
	OS.execute("kill", ["-CONT", server])
	check(
		await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "%d were never stored." % NpcServer._log.count_unstored()
	)
	result = {"last": NpcServer._log.last_stored_seq, "same_server": server == str(NpcServer.get_server_pid())}


func _on_lost(reason: String) -> void:
	_losses.append(reason)
	NpcServer.ack_timeout_s = LONG_S
