extends NpcTestCase
## What a body does with the actions of its mind, among the town's own people and objects. Without a server.

var town: DemoTown
var told: Array[Dictionary] = []


func run() -> void:
	NpcServer.auto_clock = false
	town = open_town()
	await get_tree().process_frame
	NpcServer.game_time_s = 100_000.0
	NpcServer.time_scale = 3600.0
	var mara := _agent("mara_voss")
	var tobin := _agent("tobin_hale")
	var started: Array[String] = []
	mara.action_started.connect(func(action: NpcAction) -> void: started.append(action.action_id))

	_act(mara, "one", "mara_house:kitchen:stove", "on", "off", 100_060)
	_act(mara, "one", "mara_house:kitchen:stove", "on", "off", 100_060)
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "Mara did not set out.")
	check(mara.get_way() == "millbrook:mara_house:kitchen:stove", "Others see her on the way to '%s'." % mara.get_way())
	check(mara.get_predicate() == "is on the way", "Others see that she %s before she is there." % mara.get_predicate())
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "Mara did not get to her stove.")
	check(mara.get_way().is_empty(), "She is there, and others see her on the way to '%s'." % mara.get_way())
	check(started == ["one"], "An action told twice was begun twice: %s" % str(started))
	var stove := NpcObject.by_address("millbrook:mara_house:kitchen:stove")
	check(stove.state == "on", "The stove is %s while she cooks." % stove.state)
	NpcServer.game_time_s = 100_060.0
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.NOTHING), "The action did not end at its time.")
	check(stove.state == "off", "The stove is %s afterwards." % stove.state)

	_act(mara, "two", "mara_house:attic", "", "", 200_000)
	check(await get_failure(mara) == "there is no such place here", "A place that is not there: %s" % _last_reason())
	_act(mara, "three", "mara_house:kitchen:stove", "melted", "", 200_000)
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "Mara did not get to her stove again.")
	check(stove.state == "off", "The stove took a state that it does not have.")

	_act(tobin, "private", "mara_house:bathroom:toilet", "", "", 200_000)
	check(await get_failure(tobin) == "Mara's house is private", "Somebody else's house: %s" % _last_reason())
	NpcPlace.by_address("millbrook:mara_house").owners = []
	_act(tobin, "four", "mara_house:bathroom:toilet", "occupied", "free", 200_000)
	check(await until(func() -> bool: return tobin.doing == NpcAgent.Doing.ACTING), "Tobin did not get to the bathroom.")
	_act(mara, "five", "mara_house:bathroom:shower", "running", "off", 200_000)
	check(await get_failure(mara) == "the bathroom is occupied", "A full bathroom: %s" % _last_reason())
	await _keep_rules(mara, stove)
	var reaches := await _reaches(mara, ["millbrook:mara_house:bathroom", "millbrook:cafe:kitchen", "millbrook:nowhere"])
	result = {"reaches": reaches, "outcomes": _outcomes(), "seen": _look_with_player(mara)}
	result.merge(_do_as_player(mara))
	await _be_approached(mara)


## What an object's state and a place's hours forbid, and what goes wrong with objects.
func _keep_rules(mara: NpcAgent, stove: NpcObject) -> void:
	stove.apply_state("burning")
	_use(mara, "six", "mara_house:kitchen:stove", "cook", 200_000)
	check(await get_failure(mara) == "the stove is burning", "Cooking on a fire: %s" % _last_reason())
	_use(mara, "seven", "mara_house:kitchen:stove", "fly", 200_000)
	check(await get_failure(mara) == "one cannot fly with the stove", "What a stove is not for: %s" % _last_reason())
	_use(mara, "eight", "mara_house:kitchen:stove", "put out the fire", int(NpcServer.game_time_s))
	check(await until(func() -> bool: return stove.state == "off"), "The fire was not put out: %s" % stove.state)
	_use(mara, "nine", "shop:shop_floor:shelves", "look at the goods", 200_000)
	check(await get_failure(mara) == "Calder's shop is closed until 08:00", "The shop at four in the morning: %s" % _last_reason())
	var food := NpcObject.by_address("millbrook:mara_house:kitchen:refrigerator")
	for i: int in 6:
		check(food.state == "stocked", "The refrigerator was empty after %d times." % i)
		_use(mara, "food %d" % i, "mara_house:kitchen:refrigerator", "take food", 0)
		await until(func() -> bool: return mara.action.action_id == "food %d" % i and mara.doing == NpcAgent.Doing.ACTING)
		await until(func() -> bool: return mara.doing == NpcAgent.Doing.NOTHING)
	check(food.state == "empty" and (food as DemoFurniture).is_wrong(), "The refrigerator never runs empty.")
	var burnt := 0
	var again := 0
	var rules := [{"action": "cook", "becomes": "burning", "chance": 0.04}]
	var first := DemoIncidents.new("a:stove", rules, 7)
	var second := DemoIncidents.new("a:stove", rules, 7)
	for i: int in 1000:
		var state := first.get_state_after("cook")
		burnt += 1 if state == "burning" else 0
		again += 1 if second.get_state_after("cook") == state else 0
	check(burnt > 15 and burnt < 75, "Of 1000 meals %d burnt." % burnt)
	check(again == 1000, "The same seed burns other meals.")


## What Mara notices with a player beside her, when nothing has changed, and when the player is behind a wall.
func _look_with_player(agent: NpcAgent) -> Array:
	NpcServer.npc_ids = ["mara_voss"]
	(agent.get_parent() as Node2D).global_position = (NpcPlace.by_address("millbrook:mara_house:bathroom").get_spot())
	var player := Node2D.new()
	player.name = "Robin"
	player.add_to_group(NpcAgent.PLAYER_GROUP)
	add_child(player)
	player.global_position = agent.get_body_position() + Vector2(3, 0)
	var found: Array = []
	for look: int in 3:
		if look == 2:
			player.global_position += Vector2(0, 5000)
		var before := NpcServer._log._events.size()
		agent._senses.look_around()
		var seen: Array = []
		for event: Dictionary in NpcServer._log._events.slice(before):
			if event.has("perception"):
				var perception: Dictionary = event["perception"]
				var entry: Array = [perception["kind"], perception["subject"], perception["text"]]
				if perception.has("player"):
					entry.append(perception["player"])
				seen.append(entry)
			elif event.has("whereabouts"):
				seen.append(["WHEREABOUTS", "", "near" if event["whereabouts"]["player_distance_m"] >= 0.0 else "far"])
		found.append(seen)
	return found


## What Mara is told of what a busy player does beside her, and how many see it there and far away.
func _do_as_player(agent: NpcAgent) -> Dictionary:
	var near := agent.get_body_position() + Vector2(3, 0)
	NpcServer.set_player_busy("Robin", true)
	var witnesses: Array[int] = [NpcServer.player_did("Robin", "takes the soap", near)]
	witnesses.append(NpcServer.player_did("Robin", "sings", near + Vector2(0, 5000)))
	NpcServer.set_player_busy("Robin", false)
	return {"witnesses": witnesses, "deed": (NpcServer._log._events.back() as Dictionary)["perception"]}


## Mara walks up to a player in her kitchen.
func _be_approached(mara: NpcAgent) -> void:
	var player := get_node(^"Robin") as Node2D
	player.global_position = NpcObject.by_address("millbrook:mara_house:kitchen:stove").get_spot()
	var told: Array[String] = []
	mara.approached_player.connect(func(who: String, text: String) -> void: told.append(who + ": " + text))
	_act(mara, "talk", "mara_house:bathroom", "", "", 300_000)
	NpcServer.player_approached.emit("mara_voss", "Robin", "A word!", "")
	var near := NpcServer.pixels_per_metre * 1.5
	var is_near := func() -> bool: return mara.get_body_position().distance_to(player.global_position) < near
	check(await until(is_near), "Mara does not come up to the player.")
	check(told == ["Robin: A word!"], "What the agent says of it: %s" % str(told))


func _agent(id: String) -> NpcAgent:
	for agent: NpcAgent in NpcAgent.all():
		if agent.persona_id == id:
			return agent
	return null


func _act(agent: NpcAgent, id: String, address: String, state: String, after: String, end: int) -> void:
	var message := {"action_id": id, "npc_id": agent.persona_id, "sentence": "X is busy", "address": "millbrook:" + address}
	message.merge({"object_state": state, "object_state_after": after, "end_s": end, "source": "DECISION_SOURCE_MODEL"})
	NpcServer.action_received.emit(agent.persona_id, NpcAction.from_message(message))


func _use(agent: NpcAgent, id: String, address: String, verb: String, end: int) -> void:
	var message := {"action_id": id, "npc_id": agent.persona_id, "sentence": "X is busy", "address": "millbrook:" + address}
	message.merge({"object_action": verb, "end_s": end, "source": "DECISION_SOURCE_MODEL"})
	NpcServer.action_received.emit(agent.persona_id, NpcAction.from_message(message))


func _outcomes() -> Array:
	var found: Array = []
	for event: Dictionary in NpcServer._log._events:
		if event.has("outcome"):
			var outcome: Dictionary = event["outcome"]
			found.append([outcome["action_id"], outcome["status"], outcome["reason"], outcome["reason_code"]])
	return found


func _last_reason() -> String:
	return str(_outcomes().back())


func _reaches(agent: NpcAgent, addresses: PackedStringArray) -> Array:
	var before := NpcServer._log._events.size()
	NpcServer.path_queried.emit(agent.persona_id, "q", addresses)
	await until(func() -> bool: return NpcServer._log._events.slice(before).any(_is_answer))
	var found: Array = []
	var event: Dictionary = NpcServer._log._events.filter(_is_answer).back()
	for reach: Dictionary in (event["path_result"] as Dictionary)["reaches"] as Array:
		found.append([reach["address"], reach["reachable"], reach["free"], reach["travel_s"] > 0.0])
	return found


func _is_answer(event: Dictionary) -> bool:
	return event.has("path_result")
