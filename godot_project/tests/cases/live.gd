extends NpcTestCase
## The demo town with a real server: everybody gets actions, goes there and does them.

var actions: Array[Array] = []
var arrivals: Dictionary = {}
var failures: Array[Array] = []
var errors: Array[String] = []
var notices: Array[String] = []


func run() -> void:
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(str(error)))
	NpcServer.notice_received.connect(
		func(_level: String, reason: String, message: String) -> void: notices.append(reason + ": " + message)
	)
	NpcServer.action_received.connect(
		func(npc_id: String, action: NpcAction) -> void: actions.append([npc_id, action.address, action.sentence, action.source])
	)
	var town := open_town()
	await get_tree().process_frame
	for person: DemoPerson in town.people:
		var agent := person.get_agent()
		arrivals[agent.persona_id] = 0
		agent.arrived.connect(func(_action: NpcAction) -> void: arrivals[agent.persona_id] += 1)
		agent.action_failed.connect(
			func(action: NpcAction, reason: String) -> void: failures.append([action.npc_id, action.address, reason])
		)
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	NpcServer.time_scale = float(argument("scale", "240"))
	var began := NpcServer.game_time_s
	var wanted := int(argument("arrivals", "3"))
	var everybody := func() -> bool: return arrivals.values().all(func(count: int) -> bool: return count >= wanted)
	check(await until(everybody), "Not everybody arrived %d times." % wanted)
	var stored := int(argument("stored", "1"))
	check(await until(func() -> bool: return NpcServer._log.last_stored_seq >= stored), "No %d events were stored." % stored)
	result = {
		"actions": actions,
		"arrivals": arrivals,
		"failures": failures,
		"errors": errors,
		"notices": notices,
		"stored": NpcServer._log.last_stored_seq,
		"game_minutes": (NpcServer.game_time_s - began) / 60.0,
		"frames": frames,
	}
	if not argument("out").is_empty():
		NpcServer.time_scale = 60.0
		var busy := func() -> bool:
			return town.people.all(func(person: DemoPerson) -> bool: return person.get_agent().doing == NpcAgent.Doing.ACTING)
		await until(busy)
		await get_tree().process_frame
		await RenderingServer.frame_post_draw
		get_viewport().get_texture().get_image().save_png(argument("out"))
