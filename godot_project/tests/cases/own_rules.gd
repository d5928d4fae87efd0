extends NpcTestCase
## A game whose scripts override what places and objects allow: characters keep the game's rules. Without a server.

var world := NpcTestWorld3D.new()


## A stove that works only with power, and tells of what it is asked to become.
class Stove:
	extends NpcObject3D
	var has_power := false
	var asked: Array[String] = []

	func why_not(object_action: String) -> String:
		return super(object_action) if has_power else "there is no power"

	func get_state_of(object_action: String, when: String) -> String:
		return "lit" if when == "during" else super(object_action, when)

	func apply_state(new_state: String, by: String = "") -> bool:
		asked.append("%s %s" % [by, new_state])
		return super(new_state, by)


## A shop that opens when the game says so, whatever its hours are.
class Shop:
	extends NpcPlace3D
	var is_open := false

	func is_open_at(_at_s: float) -> bool:
		return is_open


## The same in 2D.
class Stove2D:
	extends NpcObject

	func why_not(_object_action: String) -> String:
		return "it is only drawn"

	func get_state_of(_object_action: String, when: String) -> String:
		return when

	func apply_state(_new_state: String, _by: String = "") -> bool:
		return false


class Shop2D:
	extends NpcPlace

	func is_open_at(_at_s: float) -> bool:
		return false


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	add_child(world)
	world.add_place("town", Vector3(6, -1, 0), Vector3(40, 8, 60))
	var stove := Stove.new()
	stove.actions = {"cook": {"during": "on", "after": "off"}}
	_add(stove, "town:hall:stove", Vector3(-8, 0, 0))
	var shop := Shop.new()
	shop.size = Vector3(4, 3, 8)
	_add(shop, "town:shop", Vector3(4, 0, 0))
	var mara := world.add_character("mara", Vector3(-6, 0, 0))
	mara.walk_speed = 4.0
	check(await until(mara.can_find_paths), "There is no navigation map.")
	result["closed"] = await _fail(mara, "shop", "town:shop")
	shop.is_open = true
	check(await _come(mara, "open", "town:shop"), "The shop that the game opened stays shut.")
	result["no power"] = await _fail(mara, "cook", "town:hall:stove", "cook")
	stove.has_power = true
	check(await _come(mara, "again", "town:hall:stove", "cook"), "The stove with power is not used.")
	NpcServer.game_time_s = 300_000.0
	await until(func() -> bool: return mara.doing == NpcAgent.Doing.NOTHING)
	result["asked"] = stove.asked
	_keep_rules_2d()


func _keep_rules_2d() -> void:
	var stove := Stove2D.new()
	var shop := Shop2D.new()
	var here := NpcPlaceCore.new(shop, false)
	var flat := NpcObjectCore.new(stove, false)
	result["2D"] = [flat.why_not("cook"), flat.get_state_of("cook", "after"), flat.apply_state("on"), here.is_open_at(0.0)]
	stove.free()
	shop.free()


func _add(node: Node3D, address: String, at: Vector3) -> void:
	node.set("address", address)
	node.set("display_name", address.get_slice(":", address.count(":")))
	node.position = at
	world.add_child(node)


func _fail(agent: NpcAgent, id: String, address: String, verb: String = "") -> String:
	_tell(agent, id, address, verb)
	return await get_failure(agent)


func _come(agent: NpcAgent, id: String, address: String, verb: String = "") -> bool:
	_tell(agent, id, address, verb)
	return await until(func() -> bool: return agent.doing == NpcAgent.Doing.ACTING)


func _tell(agent: NpcAgent, id: String, address: String, verb: String) -> void:
	tell(agent, {"action_id": id, "address": address, "object_action": verb})
