extends NpcTestCase
## The demo town without a server: everybody lives by the routine. With late=1 a server comes, and the minds take over from
## where everybody stands. With alone=1 the system starts no programs.

var told: Array[Array] = []
var arrivals: Dictionary = {}
var reasons: Array[String] = []
var farthest: float = 0.0


func run() -> void:
	NpcServer.failed.connect(func(error: NpcError) -> void: reasons.append(error.reason))
	NpcServer.action_received.connect(
		func(npc_id: String, action: NpcAction) -> void: told.append([npc_id, action.source, action.sentence])
	)
	NpcProcess._is_alone = argument("alone") == "1"
	var town := open_town()
	await get_tree().process_frame
	for person: DemoPerson in town.people:
		var agent := person.get_agent()
		arrivals[agent.persona_id] = 0
		agent.arrived.connect(func(_action: NpcAction) -> void: arrivals[agent.persona_id] += 1)
	check(await until(NpcServer.is_without_minds), "Somebody has a mind: %s" % str(reasons))
	var began := NpcServer.game_time_s
	NpcServer.time_scale = 240.0
	var everybody := func() -> bool: return arrivals.values().all(func(count: int) -> bool: return count >= 2)
	check(await until(everybody), "Not everybody arrived twice: %s" % arrivals)
	var reply := NpcServer.say("tobin_hale", "Robin", "Hello?")
	var is_answered := await reply.done()
	NpcServer.perceive("mara_voss", "event", "", "It rains", "millbrook")
	result = {
		"began": began,
		"told": told.duplicate(),
		"arrivals": arrivals,
		"reasons": reasons.duplicate(),
		"greeting": reply.text if is_answered else str(reply.error),
		"ended": reply.ended,
		"kept": NpcServer._log.count_unstored(),
	}
	if argument("late") == "1":
		await _let_a_server_come(town)


func _let_a_server_come(town: DemoTown) -> void:
	NpcServer.time_scale = 20.0
	told.clear()
	OS.execute("ln", ["-s", argument("server"), argument("command")])
	var before := NpcServer.game_time_s
	var last: Dictionary[String, Vector2] = {}
	var has_minds := func() -> bool:
		for person: DemoPerson in town.people:
			var at := person.get_agent().get_body_position()
			farthest = maxf(farthest, at.distance_to(last.get(person.get_agent().persona_id, at)))
			last[person.get_agent().persona_id] = at
		check(NpcServer.game_time_s >= before, "The time went back.")
		before = NpcServer.game_time_s
		var of_minds := told.filter(func(row: Array) -> bool: return row[1] != "routine").map(func(row: Array) -> String: return row[0])
		return NpcServer.is_playing() and arrivals.keys().all(func(npc_id: String) -> bool: return npc_id in of_minds)
	check(await until(has_minds), "The minds did not take over: %s" % str(told))
	check(not NpcServer.is_without_minds(), "The routine goes on.")
	check(await until(func() -> bool: return NpcServer._log.last_stored_seq > 0), "Nothing is stored.")
	await _lose_the_server()
	result["after"] = {"farthest_px": farthest, "sources": told.map(func(row: Array) -> String: return row[1]), "reasons": reasons}


func _lose_the_server() -> void:
	NpcServer._session.routines.lost_after_s = 0.5
	OS.execute("rm", [argument("command")])
	OS.kill(NpcServer.get_server_pid())
	told.clear()
	check(await until(NpcServer.is_without_minds), "Nobody noticed that the server is gone.")
	NpcServer.perceive("mara_voss", "event", "", "The bell rings", "millbrook")
	check(NpcServer._log.count_unstored() > 0, "What happens meanwhile is lost.")
	check(await until(func() -> bool: return told.any(func(row: Array) -> bool: return row[1] == "routine")), "Nobody goes on.")
	OS.execute("ln", ["-s", argument("server"), argument("command")])
	check(await until(NpcServer.is_playing), "The server is not found again.")
	check(await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "Not all is stored.")
