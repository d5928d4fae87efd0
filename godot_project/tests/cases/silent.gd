extends NpcTestCase
## The server takes events and then says nothing more, with its connection open.

const LONG_S := 3600.0

var _losses: Array[String] = []


func run() -> void:
	var connections: Array[int] = [0]
	NpcServer.auto_clock = false
	NpcServer.ack_timeout_s = LONG_S  # a slow server must not count as silent
	NpcServer.connected.connect(func() -> void: connections[0] += 1)
	NpcServer.disconnected.connect(_on_lost)
	NpcServer.start()
	check(await until(func() -> bool: return connections[0] == 1), "Never connected.")
	for i: int in 12:
		NpcServer.perceive("npc_1", "event", "", "Event %d" % i, "town:square")
		await get_tree().process_frame
	await let_frames_pass(60)
	check(NpcServer.is_playing() and NpcServer._log.count_unstored() > 0, "The server is not silent.")
	NpcServer.ack_timeout_s = 1.0
	check(await until(func() -> bool: return connections[0] == 2), "It did not connect again.")
	check(
		await until(func() -> bool: return NpcServer._log.count_unstored() == 0),
		"%d events were not stored." % NpcServer._log.count_unstored()
	)
	result = {"losses": _losses, "connections": connections[0]}


func _on_lost(reason: String) -> void:
	_losses.append(reason)
	NpcServer.ack_timeout_s = LONG_S
