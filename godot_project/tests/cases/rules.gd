extends NpcTestCase
## The demo town's rules with a real server: a fire is put out, a full bathroom is waited for, the shop closes at five.

const BATHS := ["mara_house", "tobin_house", "ines_house"]

var town: DemoTown
var actions: Array[Array] = []
var failures: Array[Array] = []
var errors: Array[String] = []


func run() -> void:
	NpcServer.failed.connect(
		func(error: NpcError) -> void:
			if error.reason != "UNKNOWN_PERSONA":  # the guests
				errors.append(str(error))
	)
	NpcServer.action_received.connect(
		func(npc_id: String, action: NpcAction) -> void: actions.append([npc_id, action.address, action.object_action])
	)
	town = open_town()
	await get_tree().process_frame
	for person: DemoPerson in town.people:
		person.get_agent().action_failed.connect(
			func(action: NpcAction, reason: String) -> void: failures.append([action.npc_id, action.address, reason])
		)
	var guests := _put_guests()
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	NpcServer.time_scale = 240.0
	var most := await _watch_bathrooms()
	for guest: Node2D in guests:
		guest.free()
	check(await until(_is_bathroom_used), "Nobody used a bathroom once it was free: %s" % str(actions))
	var fires := await _burn()
	await _close_shop()
	result = {"most_in_bathrooms": most, "fires": fires, "actions": actions, "failures": failures, "errors": errors}


## Adds somebody without a mind in each bathroom.
func _put_guests() -> Array[Node2D]:
	var found: Array[Node2D] = []
	for house: String in BATHS:
		var agent := NpcAgent.new()
		agent.persona_id = "guest_of_" + house
		var body := Node2D.new()
		body.add_child(agent)
		town.add_child(body)
		body.global_position = _place(house + ":bathroom").get_spot()
		found.append(body)
	return found


## Returns the most people in a bathroom at once while guests are in all of them.
func _watch_bathrooms() -> int:
	var most := [0]
	var look := func() -> bool:
		for house: String in BATHS:
			most[0] = maxi(most[0], _place(house + ":bathroom").count_people())
		return NpcServer.game_time_s > 0.0 and fmod(NpcServer.game_time_s, 86400.0) > 7.0 * 3600.0
	check(await until(look), "It never was seven.")
	return most[0]


func _is_bathroom_used() -> bool:
	for person: DemoPerson in town.people:
		var object := person.get_agent().get_object_in_use()
		if object != null and object.address.contains(":bathroom:"):
			return true
	return false


## Sets a stove or an oven on fire where somebody is, and waits until it is out.
func _burn() -> Array:
	var found: Array[NpcObject] = []
	var near := func() -> bool:
		for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
			var thing := node as DemoFurniture
			if thing.kind in ["stove", "oven"] and thing.state in ["off", "cold"] and _is_with_owner(thing):
				found.append(thing)
				return true
		return false
	check(await until(near), "Nobody came to a kitchen.")
	if found.is_empty():
		return []
	var stove := found[0]
	stove.apply_state("burning")
	check((stove as DemoFurniture).is_wrong(), "The map does not show the fire.")
	check(await until(func() -> bool: return stove.state != "burning"), "%s still burns." % stove.address)
	var done := actions.filter(func(action: Array) -> bool: return action[1] == stove.address and action[2] == "put out the fire")
	return [stove.address, stove.state, done.size()]


func _is_with_owner(thing: NpcObject) -> bool:
	var here := NpcPlace.by_address(thing.get_place_address())
	for person: DemoPerson in town.people:
		if here.get_rect().has_point(person.global_position) and person.get_agent().doing == NpcAgent.Doing.ACTING:
			return true
	return false


## Tobin is at the shelves when the shop closes, and wants to stay for an hour.
func _close_shop() -> void:
	var day := floorf(NpcServer.game_time_s / 86400.0) * 86400.0
	NpcServer.game_time_s = day + 16.8 * 3600.0
	var tobin: NpcAgent = null
	for person: DemoPerson in town.people:
		if person.get_agent().persona_id == "tobin_hale":
			tobin = person.get_agent()
	var message := {"npc_id": "tobin_hale", "sentence": "Tobin is looking at nails", "object_action": "look at the goods"}
	message.merge({"address": "millbrook:shop:shop_floor:shelves", "end_s": day + 18.0 * 3600.0})
	# His mind may choose something else before five; then send him back.
	var stay := func() -> bool:
		if NpcServer.game_time_s >= day + 17.0 * 3600.0:
			return true
		if tobin.action == null or tobin.action.object_action != "look at the goods" or tobin.doing == NpcAgent.Doing.NOTHING:
			message["action_id"] = "shelves %d" % frames
			(tobin.get_parent() as Node2D).global_position = _place("shop:shop_floor").get_spot()
			NpcServer.action_received.emit("tobin_hale", NpcAction.from_message(message))
		return false
	check(await until(stay), "It never was five.")
	check(await until(_is_shop_empty), "Somebody is in the shop after five.")
	var later := NpcServer.game_time_s + 1200.0
	var somebody: Array[bool] = [false]
	var watch := func() -> bool:
		somebody[0] = somebody[0] or not _is_shop_empty()
		return somebody[0] or NpcServer.game_time_s >= later
	check(await until(watch) and not somebody[0], "Somebody went into the shop after five.")


func _is_shop_empty() -> bool:
	for person: DemoPerson in town.people:
		if person.get_agent().persona_id != "ines_calder" and _place("shop").get_rect().has_point(person.global_position):
			return false
	return true


func _place(address: String) -> NpcPlace:
	return NpcPlace.by_address("millbrook:" + address)
