extends NpcTestCase
## People who talk come near and turn to each other, and their lines are shown one after another. Without a server.

var world := NpcTestWorld3D.new()
var shown: Array = []


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	NpcServer.npc_ids = ["mara", "tobin", "ines"]
	add_child(world)
	world.add_place("town", Vector3(6, -1, 0), Vector3(40, 8, 60))
	world.add_place("town:hall", Vector3(-6, 0, 0), Vector3(6, 3, 8)).spots = [Vector3.ZERO]
	world.add_place("town:shop", Vector3(4, 0, 0), Vector3(4, 3, 8))
	var stove := world.add_object("town:hall:stove", Vector3(-8, 0, -3))
	var mara := world.add_character("mara", Vector3(-8, 0, 3))
	var tobin := world.add_character("tobin", Vector3(-4, 0, -3))
	for agent: NpcAgent in [mara, tobin] as Array[NpcAgent]:
		agent.walk_speed = 4.0
	check(await until(mara.can_find_paths), "There is no navigation map.")
	await _come_up(mara, tobin)
	await _stay_near(mara, tobin)
	await _stay_at_the_stove(mara, tobin, stove)
	await _stay_behind_a_wall(mara, tobin)
	await _turn_to_a_player(mara)
	await _stand_side_by_side()
	NpcServer.set_process(false)
	NpcServer._lines.forget()
	await _linger(mara, tobin)
	_show_lines()
	NpcServer.set_process(true)
	result["shown"] = shown


## Mara comes up to Tobin, who stays where he is. They look at each other, and are seen talking on the way, too.
func _come_up(mara: NpcAgent, tobin: NpcAgent) -> void:
	var before := tobin.get_point()
	_talk(mara, "come", ["tobin"])
	_talk(tobin, "stay", ["mara"])
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "Mara does not come.")
	result["seen"] = [mara.get_predicate(), mara.get_way()]
	check(await until(_are_talking.bind(mara, tobin)), "They do not talk.")
	var apart := mara.get_point().distance_to(tobin.get_point())
	check(apart > 0.5 and apart < 1.5, "They talk %.1f m apart." % apart)
	check(tobin.get_point().distance_to(before) < 0.1, "Tobin does not wait for her.")
	check(await until(_face_each_other.bind(mara, tobin)), "They look elsewhere.")


## Who is near enough stays, away from the middle of the room.
func _stay_near(mara: NpcAgent, tobin: NpcAgent) -> void:
	mara.space.put(Vector3(-8, 0, 2.5))
	tobin.space.put(Vector3(-7, 0, 2.5))
	_talk(mara, "near", ["tobin"])
	_talk(tobin, "near too", ["mara"])
	await until(func() -> bool: return mara.action.action_id == "near" and _are_talking(mara, tobin))
	check(mara.get_point().distance_to(Vector3(-8, 0, 2.5)) < 0.1, "Mara walked off to %s." % mara.get_point())
	check(await until(_face_each_other.bind(mara, tobin)), "They look elsewhere.")


## Who works at something goes on with it, looks up, and looks at it again after the talk.
func _stay_at_the_stove(mara: NpcAgent, tobin: NpcAgent, stove: NpcObject3D) -> void:
	tobin.space.put(Vector3(-4, 0, 3))
	tell(mara, {"action_id": "cook", "address": "town:hall:stove"})
	check(await until(func() -> bool: return mara.get_object_in_use_3d() == stove), "Mara does not cook.")
	var at := mara.get_point()
	_talk(mara, "at the stove", ["tobin"], "town:hall:stove")
	await until(func() -> bool: return mara.action.action_id == "at the stove" and mara.doing == NpcAgent.Doing.ACTING)
	check(mara.get_point().distance_to(at) < 0.3, "Mara left the stove.")
	check(await until(_looks_at.bind(mara, tobin.get_point())), "Mara does not look up.")
	tell(mara, {"action_id": "cook again", "address": "town:hall:stove"})
	var cooks := func() -> bool: return mara.action.action_id == "cook again" and mara.get_object_in_use_3d() == stove
	check(await until(cooks), "Mara does not go on cooking.")
	NpcServer.speech_received.emit("tobin", "Smells good.", PackedStringArray(["mara"]), false)
	check(await until(_looks_at.bind(mara, tobin.get_point())), "Mara does not hear Tobin.")
	check(cooks.call() as bool, "Mara stopped cooking.")
	mara._gaze._left_s = 0.0
	mara.space.put(stove.global_position + Vector3(1, 0, 0))
	check(await until(_looks_at.bind(mara, stove.global_position)), "Mara does not look at the stove again.")


## Nobody comes up through a wall: who is in another room goes to the place of the talk, and there up to the other.
func _stay_behind_a_wall(mara: NpcAgent, tobin: NpcAgent) -> void:
	mara.space.put(Vector3(4, 0, 0))
	tobin.space.put(Vector3(-8, 0, 3))
	_talk(mara, "far", ["tobin"])
	await until(func() -> bool: return mara.action.action_id == "far" and mara.doing == NpcAgent.Doing.ACTING)
	check(mara.get_point().distance_to(tobin.get_point()) < 2.05, "Mara talks at %s." % mara.get_point())
	check(NpcPlace3D.at(mara.get_point()).address == "town:hall", "Mara talks in another room.")


func _turn_to_a_player(mara: NpcAgent) -> void:
	var robin := Node3D.new()
	robin.name = "Robin"
	robin.position = Vector3(-6, 0, -3.5)
	robin.add_to_group(NpcAgent.PLAYER_GROUP)
	world.add_child(robin)
	tell(mara, {"action_id": "stand", "address": "town:hall"})
	await until(func() -> bool: return mara.action.action_id == "stand" and mara.doing == NpcAgent.Doing.ACTING)
	mara.turn_to("Robin")
	check(await until(_looks_at.bind(mara, robin.position)), "Mara does not look at the player.")
	mara.turns_to_talk = false
	robin.position = Vector3(-6, 0, 3.5)
	mara.turn_to("Robin")
	await let_steps_pass(3)
	check(not _looks_at(mara, robin.position), "Mara turns, and should not.")


## Those who come to one place, or to one object, do not stand inside each other, even where nothing else keeps them apart.
func _stand_side_by_side() -> void:
	var agents: Array[NpcAgent] = []
	for id: String in ["ada", "ben", "cal"] as Array[String]:
		var body := Node3D.new()
		body.position = Vector3(-5, 0, 1)
		agents.append(world.add_agent(id, body))
	for address: String in ["town:hall", "town:hall:stove"] as Array[String]:
		for agent: NpcAgent in agents:
			tell(agent, {"action_id": agent.persona_id + address, "address": address})
		var are_there := func() -> bool:
			return agents.all(
				func(agent: NpcAgent) -> bool: return agent.action.address == address and agent.doing == NpcAgent.Doing.ACTING
			)
		check(await until(are_there), "Somebody does not come to %s." % address)
		for i: int in agents.size():
			for k: int in i:
				var apart := agents[i].get_point().distance_to(agents[k].get_point())
				check(apart > 0.45 and apart < 3.0, "Two stand %.2f m apart at %s." % [apart, address])


## Who has talked stays until the lines were shown, but not for long.
func _linger(mara: NpcAgent, tobin: NpcAgent) -> void:
	mara.space.put(Vector3(-8, 0, 2.5))
	tobin.space.put(Vector3(-7, 0, 2.5))
	for agent: NpcAgent in [mara, tobin] as Array[NpcAgent]:
		_talk(agent, "linger", ["tobin" if agent == mara else "mara"])
	await until(func() -> bool: return mara.action.action_id == "linger" and _are_talking(mara, tobin))
	_say("mara", "Good morning, Tobin!", ["tobin"])
	_say("tobin", "Is it?", ["mara"])
	for agent: NpcAgent in [mara, tobin] as Array[NpcAgent]:
		tell(agent, {"action_id": "go", "address": "town:shop"})
	await let_steps_pass(20)
	check(mara.doing == NpcAgent.Doing.NOTHING, "Mara walks off in the middle of a talk.")
	tobin._runner._lingers_s = 0.0
	check(await until(func() -> bool: return tobin.doing == NpcAgent.Doing.WALKING), "Tobin stays for ever.")
	check(mara.doing == NpcAgent.Doing.NOTHING, "Mara goes when Tobin goes.")
	NpcServer._lines.forget()
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "Mara stays after the talk.")


## The clock of the lines is moved by hand.
func _show_lines() -> void:
	NpcServer.line_shown.connect(
		func(npc_id: String, text: String, _to: PackedStringArray, partial: bool) -> void: shown.append([npc_id, text, partial])
	)
	_say("mara", "Good morning, Tobin!", ["tobin"])  # 20 characters: it is read in 2 seconds
	_say("tobin", "Is", ["mara"], true)
	_say("tobin", "Is it?", ["mara"])
	_say("ines", "Hm.", [])
	NpcServer._lines.step(1.9)
	_mark()
	NpcServer._lines.step(0.2)
	_mark()
	_say("mara", "Goodbye.", ["tobin"])
	_say("tobin", "Yes, Robin?", ["Robin"], true)
	_mark()
	NpcServer.reading_speed = 0.0
	_say("mara", "One.", ["ines"])
	_say("ines", "Two.", ["mara"])
	_mark()
	NpcServer._lines.step(0.1)
	NpcServer.reading_speed = 20.0
	_say("mara", "Three.", ["ines"])
	_say("ines", "Four.", ["mara"])
	NpcServer.loaded.emit("slot")
	NpcServer._lines.step(60.0)
	_mark()
	_say("mara", "Five.", ["tobin"])
	_say("tobin", "Six.", ["mara"])
	NpcAgents.by_id("mara").space.put(Vector3(-8, 0, 0))
	NpcAgents.by_id("tobin").space.put(Vector3(4, 0, 0))
	NpcServer._lines.step(60.0)
	check(not NpcServer.is_shown_talking("mara"), "The talk goes on without them.")


func _mark() -> void:
	shown.append("then")


func _say(npc_id: String, text: String, to: PackedStringArray, partial: bool = false) -> void:
	NpcServer.speech_received.emit(npc_id, text, to, partial)


func _are_talking(one: NpcAgent, other: NpcAgent) -> bool:
	return one.doing == NpcAgent.Doing.ACTING and other.doing == NpcAgent.Doing.ACTING


func _face_each_other(one: NpcAgent, other: NpcAgent) -> bool:
	return _looks_at(one, other.get_point()) and _looks_at(other, one.get_point())


func _looks_at(agent: NpcAgent, point: Vector3) -> bool:
	var body := agent.get_parent() as Node3D
	var to := NpcSpace.flat_direction(agent.get_point(), point)
	return agent.get_heading_3d().dot(to) > 0.99 and (-body.global_basis.z).dot(to) > 0.95


func _talk(agent: NpcAgent, id: String, others: Array, address: String = "town:hall") -> void:
	tell(agent, {"action_id": id, "address": address, "seen_as": "is talking", "talks_with": others})
