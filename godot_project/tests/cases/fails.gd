extends NpcTestCase
## A start that fails is reported, and frames go on.


func run() -> void:
	var errors: Array[Dictionary] = []
	NpcServer.failed.connect(
		func(error: NpcError) -> void: errors.append({"code": error.code, "reason": error.reason, "message": error.message})
	)
	NpcServer.start(argument("address"), argument("token"))
	var reply := NpcServer.say("mara_voss", "Robin", "Hello?")
	var never_opens := argument("opens") == "never"
	if never_opens:
		check(await until(func() -> bool: return NpcServer.state == NpcServer.State.OPENING), "It never asked for the save.")
		await let_frames_pass(60)
	else:
		check(await until(func() -> bool: return not errors.is_empty()), "Nothing was said.")
	var state: String = NpcServer.State.keys()[NpcServer.state]
	NpcServer.perceive("mara_voss", "event", "", "It rains", "millbrook")
	await let_frames_pass(30)
	if not never_opens:
		check(await until(func() -> bool: return reply.is_finished), "Who said something waits for ever.")
	var line := reply.error.reason if reply.error != null else ""
	result = {"errors": errors, "frames": frames, "state": state, "line": line}
