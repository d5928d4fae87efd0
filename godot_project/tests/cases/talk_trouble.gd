extends NpcTestCase
## Talks that do not go as planned: somebody is in the way, comes late, goes away, or is freed. Without a server.

var world := NpcTestWorld3D.new()


## A stove that nobody can use.
class BrokenStove:
	extends NpcObject3D

	func why_not(_object_action: String) -> String:
		return "it is broken"


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	NpcServer.set_process(false)
	NpcServer.npc_ids = ["mara", "tobin", "ada", "ben", "cal"]
	add_child(world)
	world.add_place("town", Vector3(6, -1, 0), Vector3(40, 8, 60))
	world.add_place("town:yard", Vector3(-6, 0, 0), Vector3(6, 3, 8)).spots = [Vector3.ZERO]
	world.add_place("town:shop", Vector3(4, 0, 0), Vector3(4, 3, 8))
	await _appear_side_by_side()
	await _appear_in_a_crowd()
	await _four_come_together()
	await _come_to_who_comes_late()
	await _stand_beside_others()
	await _look_away_while_walking()
	await _talk_at_a_taken_stove()
	await _come_up_to_a_player()
	await _linger_through_more_than_one_action()
	await _lose_people()
	await _lose_an_object()
	await _take_away_at_the_end()


## The scene has just been opened: there is no navigation map yet.
func _appear_side_by_side() -> void:
	var agents := _add(["ada", "ben", "cal"], Vector3(4, 0, 3))
	for agent: NpcAgent in agents:
		agent._runner.appear(make_action(agent, {"action_id": "there", "address": "town:yard"}))
	check(agents[0].get_point().distance_to(Vector3(-6, 0, 0)) < 2.0, "Nobody appears before there is a map.")
	check(await until(agents[0].can_find_paths), "There is no navigation map.")
	await let_steps_pass(2)
	_check_apart(agents, 2.0, "who appear")
	_remove(agents)


## A feast: all have room, and none is far.
func _appear_in_a_crowd() -> void:
	var ids: Array[String] = []
	for i: int in 30:
		ids.append("guest %d" % i)
	var agents := _add(ids, Vector3(4, 0, 3))
	for agent: NpcAgent in agents:
		agent._runner.appear(make_action(agent, {"action_id": "feast", "address": "town:yard"}))
	check(await until(agents[0].can_find_paths), "There is no navigation map any more.")
	await let_steps_pass(2)
	_check_apart(agents, 5.0, "a crowd")
	_remove(agents)


## Each comes to the first of the others, who may be on the way to a third.
func _four_come_together() -> void:
	var agents := _add(["ada", "ben", "cal", "mara"], Vector3.ZERO)
	var corners: Array[Vector3] = [Vector3(-8.5, 0, 3.5), Vector3(-3.5, 0, -3.5), Vector3(-8.5, 0, -3.5), Vector3(-3.5, 0, 3.5)]
	for i: int in agents.size():
		agents[i].space.put(corners[i])
		var others := agents.filter(func(other: NpcAgent) -> bool: return other != agents[i])
		_talk(agents[i], "four", others.map(func(other: NpcAgent) -> String: return other.persona_id))
	check(await until(_all_talk.bind(agents, "four")), "Four do not talk.")
	_check_apart(agents, 3.5, "four who talk")
	for agent: NpcAgent in agents:
		check(_outcomes(agent, "four") == ["ARRIVED"], "Of four is told: %s" % str(_outcomes(agent, "four")))
	_remove(agents)


## Who comes from elsewhere goes to the place of the talk, and then on to who waits there.
func _come_to_who_comes_late() -> void:
	for first: int in 2:
		var ids: Array[String] = ["mara", "tobin"]
		if first == 1:
			ids.reverse()
		var agents := _add(ids, Vector3.ZERO)
		var mara := NpcAgents.by_id("mara")
		mara.space.put(Vector3(-8.5, 0, 3.5))
		NpcAgents.by_id("tobin").space.put(Vector3(4, 0, -3))
		var id := "late %d" % first
		_talk(agents[0], id, [agents[1].persona_id])
		_talk(agents[1], id, [agents[0].persona_id])
		check(await until(_all_talk.bind(agents, id)), "Who comes late does not talk.")
		_check_apart(agents, 2.05, "who come late")
		for agent: NpcAgent in agents:
			check(_outcomes(agent, id) == ["ARRIVED"], "Of who comes late is told: %s" % str(_outcomes(agent, id)))
		_remove(agents)


## Somebody else stands right before the partner, and the player on the spot of a place.
func _stand_beside_others() -> void:
	var agents := _add(["mara", "tobin", "ada"], Vector3(-4, 0, 0))
	agents[0].space.put(Vector3(-8.5, 0, 0))
	agents[2].space.put(Vector3(-5, 0, 0))
	_talk(agents[0], "beside", ["tobin"])
	_talk(agents[1], "beside", ["mara"])
	check(await until(_all_talk.bind(agents.slice(0, 2), "beside")), "They do not talk.")
	_check_apart(agents, 2.7, "who come up where somebody stands")
	var robin := _add_player(Vector3(-6, 0, 0))
	agents[0].space.put(Vector3(-8.5, 0, 3))
	tell(agents[0], {"action_id": "spot", "address": "town:yard"})
	check(await until(_acts.bind(agents[0], "spot")), "Mara does not come.")
	check(agents[0].get_point().distance_to(robin.position) > 0.45, "Mara stands inside the player.")
	robin.free()
	_remove(agents)


## Who was spoken to on the way does not look back long afterwards.
func _look_away_while_walking() -> void:
	var agents := _add(["mara", "tobin"], Vector3(-8, 0, -3))
	var mara := agents[0]
	mara.space.put(Vector3(4, 0, 3))
	tell(mara, {"action_id": "walk", "address": "town:yard"})
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "Mara does not walk.")
	mara.turn_to("tobin")
	mara._gaze._left_s = 0.1
	check(await until(_acts.bind(mara, "walk")), "Mara does not arrive.")
	await let_steps_pass(2)
	check(not mara._gazes, "Mara looks at somebody who spoke to her long ago.")
	_remove(agents)


## Who is spoken to at an object that others use, or that does not work, talks beside it.
func _talk_at_a_taken_stove() -> void:
	var stove := world.add_object("town:yard:stove", Vector3(-8, 0, -3))
	stove.capacity = 1
	var broken := BrokenStove.new()
	broken.address = "town:yard:broken"
	broken.position = Vector3(-8, 0, 3)
	world.add_child(broken)
	var agents := _add(["mara", "ada"], stove.position)
	var mara := agents[0]
	tell(agents[1], {"action_id": "cook", "address": "town:yard:stove"})
	check(await until(_acts.bind(agents[1], "cook")), "Ada does not cook.")
	for at: String in ["stove", "broken"] as Array[String]:
		mara.space.put((stove.position if at == "stove" else broken.position) + Vector3(0.5, 0, 0))
		_talk(mara, at, ["ada"], "town:yard:" + at)
		await until(func() -> bool: return not _outcomes(mara, at).is_empty())
		check(_outcomes(mara, at) == ["ARRIVED"], "A talk at the %s: %s" % [at, str(_outcomes(mara, at))])
		check(mara.get_object_in_use_3d() == null, "Mara uses the %s while she talks." % at)
	stove.free()
	broken.free()
	_remove(agents)


## Mara is where her action takes place, and then comes up to the player in another place: this is no second arrival.
## Something in the way does not keep her from talking.
func _come_up_to_a_player() -> void:
	var robin := _add_player(Vector3(0, 0, 0))
	for is_blocked: bool in [false, true] as Array[bool]:
		var body_is_solid := is_blocked
		var agents := _add(["mara"], Vector3(-6, 0, 0), body_is_solid)
		var mara := agents[0]
		var id := "player %s" % is_blocked
		_talk(mara, id, ["Robin"])
		check(await until(_acts.bind(mara, id)), "Mara does not talk.")
		var wall := world.add_wall(AABB(Vector3(-3, 0, -5), Vector3(0.2, 2, 10))) if is_blocked else null
		mara._runner.walk_up_to(robin.position)
		check(mara.doing == NpcAgent.Doing.WALKING, "Mara does not come up.")
		check(mara.get_predicate() == "is talking" and mara.get_way().is_empty(), "Mara is seen on the way to %s." % mara.get_way())
		check(await until(func() -> bool: return mara.doing != NpcAgent.Doing.WALKING), "Mara walks for ever.")
		check(_acts(mara, id), "Mara does not talk to the player.")
		check(_outcomes(mara, id) == ["ARRIVED"], "Of the talk is told: %s" % str(_outcomes(mara, id)))
		if wall != null:
			wall.free()
		_remove(agents)
	robin.free()


## On a fast clock actions change while the lines of a talk are shown. People stay all the same.
func _linger_through_more_than_one_action() -> void:
	var agents := _add(["mara", "tobin"], Vector3(-8, 0, 2))
	agents[1].space.put(Vector3(-7, 0, 2))
	for agent: NpcAgent in agents:
		_talk(agent, "long", ["tobin" if agent == agents[0] else "mara"])
	check(await until(_all_talk.bind(agents, "long")), "They do not talk.")
	NpcServer.speech_received.emit("mara", "Good morning!", PackedStringArray(["tobin"]), false)
	for id: String in ["go", "go on"] as Array[String]:
		tell(agents[0], {"action_id": id, "address": "town:shop"})
		await let_steps_pass(5)
		check(agents[0].doing == NpcAgent.Doing.NOTHING, "Mara walks off with '%s'." % id)
	NpcServer._lines.forget()
	check(await until(func() -> bool: return agents[0].doing == NpcAgent.Doing.WALKING), "Mara stays for ever.")
	# What she talks about later is no reason to stay longer after something else.
	tell(agents[0], {"action_id": "stand", "address": "town:shop"})
	check(await until(_acts.bind(agents[0], "stand")), "Mara does not get to the shop.")
	NpcServer.speech_received.emit("mara", "Goodbye!", PackedStringArray(["tobin"]), false)
	tell(agents[0], {"action_id": "leave", "address": "town:yard"})
	check(await until(func() -> bool: return agents[0].doing == NpcAgent.Doing.WALKING), "Mara lingers without a talk.")
	NpcServer._lines.forget()
	_remove(agents)


## The partner goes away in the middle: while one comes up, talks, lingers, and while lines wait.
func _lose_people() -> void:
	for when: String in ["coming", "talking", "lingering"] as Array[String]:
		var agents := _add(["mara", "tobin"], Vector3(-8.5, 0, 3.5))
		var mara := agents[0]
		var tobin := agents[1].get_parent()
		agents[1].space.put(Vector3(-3.5, 0, -3.5))
		_talk(mara, when, ["tobin"])
		_talk(agents[1], when, ["mara"])
		NpcServer.speech_received.emit("tobin", "Good morning!", PackedStringArray(["mara"]), false)
		NpcServer.speech_received.emit("mara", "Good morning!", PackedStringArray(["tobin"]), false)
		check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "Mara does not come.")
		if when != "coming":
			check(await until(_acts.bind(mara, when)), "Mara does not talk.")
		if when == "lingering":
			tell(mara, {"action_id": "after", "address": "town:yard"})
		tobin.free()
		NpcServer._lines.step(5.0)
		if when == "lingering":
			NpcServer._lines.step(5.0)
			check(await until(_acts.bind(mara, "after")), "Mara lingers for ever.")
		else:
			check(await until(_acts.bind(mara, when)), "Mara does not end up anywhere.")
		check(_outcomes(mara, when) == ["ARRIVED"], "When the other was lost while %s: %s" % [when, str(_outcomes(mara, when))])
		mara.get_parent().free()
		await let_steps_pass(2)


## An object is freed while somebody walks to it.
func _lose_an_object() -> void:
	var stove := world.add_object("town:yard:stove", Vector3(-8, 0, -3))
	var agents := _add(["mara"], Vector3(-4, 0, 3))
	tell(agents[0], {"action_id": "lost", "address": "town:yard:stove"})
	check(await until(func() -> bool: return agents[0].doing == NpcAgent.Doing.WALKING), "Mara does not walk.")
	stove.free()
	result["lost"] = await get_failure(agents[0])
	check(_outcomes(agents[0], "lost") == ["FAILED"], "Of a lost object is told: %s" % str(_outcomes(agents[0], "lost")))
	_remove(agents)


## A game takes a body away when its action ends, and puts it back. It goes on with the next action.
func _take_away_at_the_end() -> void:
	var agents := _add(["mara"], Vector3(-4, 0, 3))
	var body := agents[0].get_parent()
	tell(agents[0], {"action_id": "before", "address": "town:yard"})
	check(await until(_acts.bind(agents[0], "before")), "Mara does not arrive.")
	agents[0].action_finished.connect(func(_action: NpcAction) -> void: world.remove_child(body), CONNECT_ONE_SHOT)
	var next := make_action(agents[0], {"action_id": "next", "address": "town:yard"})
	NpcServer._session.minds.actions["mara"] = next
	NpcServer.action_received.emit("mara", next)
	check(not body.is_inside_tree(), "The body was not taken away.")
	world.add_child(body)
	check(await until(_acts.bind(agents[0], "next")), "Mara stands there for ever.")
	NpcServer._session.minds.actions.clear()
	_remove(agents)


func _add(ids: Array[String], at: Vector3, are_solid: bool = false) -> Array[NpcAgent]:
	var agents: Array[NpcAgent] = []
	for id: String in ids:
		agents.append(world.add_character(id, at) if are_solid else world.add_agent(id, _at(Node3D.new(), at)))
		agents[-1].walk_speed = 6.0
	return agents


func _at(body: Node3D, at: Vector3) -> Node3D:
	body.position = at
	return body


func _remove(agents: Array[NpcAgent]) -> void:
	for agent: NpcAgent in agents:
		agent.get_parent().free()


func _add_player(at: Vector3) -> Node3D:
	var robin := _at(Node3D.new(), at)
	robin.name = "Robin"
	robin.add_to_group(NpcAgent.PLAYER_GROUP)
	world.add_child(robin)
	return robin


## Nobody is inside somebody else, or further from everybody than [param most].
func _check_apart(agents: Array[NpcAgent], most: float, who: String) -> void:
	for one: NpcAgent in agents:
		for other: NpcAgent in agents:
			var apart := one.get_point().distance_to(other.get_point())
			if one != other:
				check(apart > 0.45 and apart < most, "Of %s, %s and %s are %.2f m apart." % [who, one.persona_id, other.persona_id, apart])


func _acts(agent: NpcAgent, id: String) -> bool:
	return agent.doing == NpcAgent.Doing.ACTING and agent.action.action_id == id


func _all_talk(agents: Array[NpcAgent], id: String) -> bool:
	return agents.all(_acts.bind(id))


## Returns the statuses that were reported of an action.
func _outcomes(agent: NpcAgent, id: String) -> Array:
	var found: Array = []
	for event: Dictionary in NpcServer._log._events:
		var told: Dictionary = event.get("outcome", {})
		if told.get("npc_id") == agent.persona_id and told.get("action_id") == id:
			found.append((told["status"] as String).trim_prefix("OUTCOME_STATUS_"))
	return found


func _talk(agent: NpcAgent, id: String, others: Array, address: String = "town:yard") -> void:
	tell(agent, {"action_id": id, "address": address, "seen_as": "is talking", "talks_with": others})
