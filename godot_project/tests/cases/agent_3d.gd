extends NpcTestCase
## What a 3D body does and sees among 3D places and objects, and what becomes of 2D nodes among them. Without a server.

var world := NpcTestWorld3D.new()
var errors: Array[NpcError] = []


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(error))
	add_child(world)
	world.add_place("town", Vector3(6, -1, 0), Vector3(40, 8, 60))
	world.add_place("town:hall", Vector3(-6, 0, 0), Vector3(6, 3, 8)).display_name = "the hall"
	world.add_place("town:shop", Vector3(4, 0, 0), Vector3(4, 3, 8)).display_name = "the shop"
	world.add_place("town:loft", Vector3(20, 3, 0), Vector3(4, 3, 8)).display_name = "the loft"
	var mara := world.add_character("mara", Vector3(-6, 0, 0))
	var tobin := world.add_character("tobin", Vector3(-6, 0, 3), 0.0)
	for agent: NpcAgent in [mara, tobin] as Array[NpcAgent]:
		agent.walk_speed = 4.0
	check(await until(mara.can_find_paths), "There is no navigation map.")
	_stand_in_places()
	_see(mara, tobin)
	await _use(mara, tobin)
	await _keep_rules(mara, tobin)
	await _be_approached(mara)
	await _appear()
	await _mix(mara)
	result["outcomes"] = _outcomes()


## A place turns with its node, contains who stands on its floor, and ends below the next floor.
func _stand_in_places() -> void:
	var hut := world.add_place("town:hut", Vector3(0, 0, -20), Vector3(8, 3, 2))
	check(hut.has_point(Vector3(3.5, 0, -20)) and not hut.has_point(Vector3(0, 0, -16.5)), "The hut is not where it was put.")
	hut.rotation.y = PI / 2.0
	hut.force_update_transform()
	hut._on_moved()
	check(not hut.has_point(Vector3(3.5, 0, -20)) and hut.has_point(Vector3(0, 0, -16.5)), "The hut does not turn with its node.")
	check(NpcPlace3D.at(Vector3(0, 0, -16.5)) == hut, "Nobody finds the turned hut.")
	hut.spots = [Vector3(1, 0, 0)]
	check(hut.get_spot().distance_to(Vector3(0, 0, -21)) < 0.01, "The spot does not turn: %s" % hut.get_spot())
	var cellar := world.add_place("town:cellar", Vector3(20, 0, 0), Vector3(4, 3, 8))
	check(
		NpcPlace3D.at(Vector3(20, 2.98, 0)).address == "town:loft",
		"Who stands in the loft is in %s." % NpcPlace3D.at(Vector3(20, 2.98, 0)).address
	)
	check(NpcPlace3D.at(Vector3(20, -0.02, 0)) == cellar, "Nobody is in the cellar.")
	var bed := world.add_object("town:hut:bed", Vector3(0, 0, -20))
	bed.rotation.y = PI / 2.0
	bed.stand = Vector3(1, 0, 0)
	check(bed.get_spot().distance_to(Vector3(0, 0, -21)) < 0.01, "Where one stands does not turn with the bed: %s" % bed.get_spot())
	bed.free()
	cellar.free()
	hut.free()


## Who is near and in sight, how far away in metres, and not who is in another room or upstairs.
func _see(mara: NpcAgent, tobin: NpcAgent) -> void:
	NpcServer.npc_ids = ["mara"]
	var stove := world.add_object("town:hall:stove", Vector3(-8, 0, 0))
	stove.states = ["off", "on"]
	stove.state = "off"
	var robin := _add_player("Robin", Vector3(-6, 0, -2))
	result["near"] = _look(mara)
	result["again"] = _look(mara)
	robin.position = Vector3(1, 0, 0)
	tobin.space.put(Vector3(-6, 3.5, 3))
	result["apart"] = _look(mara)
	mara._senses.forget()
	result["alone"] = _look(mara)
	robin.position = Vector3(-6, 0, -2)
	var seen := NpcServer.player_did("Robin", "sings", robin.global_position)
	result["witnesses"] = [
		seen, NpcServer.player_did("Robin", "sings", Vector3(1, 0, 0)), NpcServer.player_did("Robin", "sings", Vector2(-6, -2))
	]
	result["hears"] = []
	for where: Vector3 in [Vector3(-6, 0, 3), Vector3(1, 0, 2)] as Array[Vector3]:
		tobin.space.put(where)
		var before := NpcServer._log._events.size()
		NpcServer.speech_received.emit("tobin", "Good morning!", PackedStringArray(), false)
		(result["hears"] as Array).append(NpcServer._log._events.size() - before)


func _add_player(called: String, at: Vector3) -> Node3D:
	var player := Node3D.new()
	player.name = called
	player.position = at
	player.add_to_group(NpcAgent.PLAYER_GROUP)
	world.add_child(player)
	return player


## What an agent perceives: kind, subject, text and metres.
func _look(agent: NpcAgent) -> Array:
	var before := NpcServer._log._events.size()
	agent._senses.look_around()
	var found: Array = []
	for event: Dictionary in NpcServer._log._events.slice(before):
		if event.has("perception"):
			var perception: Dictionary = event["perception"]
			found.append(
				[
					str(perception["kind"]).get_slice("_", 2),
					perception["subject"],
					perception["text"],
					snappedf(perception["distance_m"] as float, 0.1)
				]
			)
	return found


## An object takes the states of its action, and is taken while somebody uses it.
func _use(mara: NpcAgent, tobin: NpcAgent) -> void:
	var stove := NpcObject3D.by_address("town:hall:stove")
	stove.capacity = 1
	stove.actions = {"cook": {"needs": "off", "during": "on", "after": "off"}}
	var used: Array[String] = []
	stove.used.connect(func(npc_id: String, what: String) -> void: used.append(npc_id + " " + what))
	var told: Array[String] = []
	stove.state_changed.connect(func(state: String, by: String) -> void: told.append(by + " " + state))
	_tell(mara, "cook", "town:hall:stove", "cook")
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "Mara did not get to the stove.")
	check(mara.get_object_in_use_3d() == stove and stove.users == ([mara] as Array[NpcAgent]), "She does not use the stove.")
	check(stove.get_place().address == "town:hall" and mara.get_object_in_use() == null, "The stove is in no hall, or is 2D.")
	_tell(tobin, "too", "town:hall:stove", "cook")
	result["taken"] = await get_failure(tobin)
	_tell(mara, "fly", "town:hall:stove", "fly")
	result["unsuitable"] = await get_failure(mara)
	result["stove"] = [told, used]
	result["reaches"] = [_reach(mara, "town:hall:stove"), _reach(mara, "town:loft"), _reach(mara, "town:nowhere")]


func _keep_rules(mara: NpcAgent, tobin: NpcAgent) -> void:
	var shop := NpcPlace3D.by_address("town:shop")
	shop.capacity = 1
	_tell(tobin, "shop", "town:shop")
	check(await until(func() -> bool: return tobin.doing == NpcAgent.Doing.ACTING), "Tobin did not get into the shop.")
	check(shop.count_people() == 1, "%d people are in the shop." % shop.count_people())
	_tell(mara, "full", "town:shop")
	result["full"] = await get_failure(mara)
	shop.capacity = 0
	shop.hours = "08:00-12:00"
	_tell(mara, "late", "town:shop")
	result["closed"] = await get_failure(mara)
	NpcPlace3D.by_address("town:loft").owners = ["tobin"]
	_tell(mara, "private", "town:loft")
	result["private"] = await get_failure(mara)


## Mara walks up to a player.
func _be_approached(mara: NpcAgent) -> void:
	var robin := world.get_node(^"Robin") as Node3D
	robin.position = Vector3(-6, 0, -3)
	_tell(mara, "stand", "town:hall")
	await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING)
	mara.space.put(Vector3(-6, 0, 3))
	NpcServer.player_approached.emit("mara", "Robin", "A word!", "")
	check(await until(func() -> bool: return mara.get_point().distance_to(robin.position) < 1.5), "Mara does not come up to the player.")


## A body that enters the tree stands where its character is busy, with its feet on the floor.
func _appear() -> void:
	var action := NpcAction.from_message({"action_id": "busy", "npc_id": "ines", "address": "town:hall", "end_s": 200_000})
	NpcServer._session.minds.actions["ines"] = action
	NpcServer.absent.take_over("ines", action, NpcAbsent.Progress.THERE, "town:hall", "")
	var ines := world.add_character("ines", Vector3(8, 0, 4))
	check(await until(func() -> bool: return ines.doing == NpcAgent.Doing.ACTING), "Ines is not busy.")
	result["appeared"] = [ines.get_point() == Vector3(-6, 0, 0), (ines.get_parent() as Node3D).position.y]


## A 2D place or body among them: nobody goes to the one, nobody sees the other, and the game is told.
func _mix(mara: NpcAgent) -> void:
	var flat := NpcPlace.new()
	flat.address = "town:map"
	flat.size = Vector2(2000, 2000)
	flat.position = Vector2(-1000, -1000)
	world.add_child(flat)
	var body := Node2D.new()
	body.position = Vector2(-6, 0)
	var drawn := world.add_agent("drawn", body)
	_tell(mara, "map", "town:map")
	result["map"] = await get_failure(mara)
	mara._senses.forget()
	result["sees_drawn"] = _look(mara).any(func(seen: Array) -> bool: return seen[1] == "drawn" or seen[1] == "town:map")
	result["flat"] = [flat.count_people(), NpcPlace.at(Vector2(-6, 0)) == flat, drawn.walk_speed]
	result["errors"] = errors.map(func(error: NpcError) -> Array: return [error.reason, error.message])


func _reach(agent: NpcAgent, address: String) -> Array:
	var reach := agent.get_reach(address, agent.get_path_to_address(address))
	return [reach["reachable"], reach["free"], reach["travel_s"] > 0.0]


func _tell(agent: NpcAgent, id: String, address: String, verb: String = "") -> void:
	tell(agent, {"action_id": id, "address": address, "object_action": verb})


func _outcomes() -> Array:
	var found: Array = []
	for event: Dictionary in NpcServer._log._events:
		if event.has("outcome"):
			var outcome: Dictionary = event["outcome"]
			found.append([outcome["action_id"], str(outcome["status"]).get_slice("_", 2), str(outcome["reason_code"]).get_slice("_", 2)])
	return found
