extends NpcTestCase
## A start that goes wrong: how it is told, and that frames go on.


func run() -> void:
	var errors: Array[Dictionary] = []
	NpcServer.failed.connect(
		func(error: NpcError) -> void: errors.append({"code": error.code, "reason": error.reason, "message": error.message})
	)
	NpcServer.start(argument("address"), argument("token"))
	var reply := NpcServer.say("mara_voss", "Robin", "Hello?")
	var seconds := float(argument("seconds", "0"))
	if seconds > 0.0:
		await get_tree().create_timer(seconds).timeout
	else:
		check(await until(func() -> bool: return not errors.is_empty(), 40.0), "Nothing was said.")
	var state: String = NpcServer.State.keys()[NpcServer.state]
	NpcServer.perceive("mara_voss", "event", "", "It rains", "millbrook")
	for i: int in 30:
		await get_tree().process_frame
	if seconds <= 0.0:
		check(await until(func() -> bool: return reply.is_finished), "Who said something waits for ever.")
	var line := reply.error.reason if reply.error != null else ""
	result = {"errors": errors, "frames": frames, "state": state, "line": line}
