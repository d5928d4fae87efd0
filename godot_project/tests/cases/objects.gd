extends NpcTestCase
## Objects that are moved while somebody goes to them or uses them, and actions that fail.

const MAP: PackedStringArray = ["##############", "#............#", "#............#", "#............#", "##############"]

var _tiles := NpcTestTiles.new()
var _arrivals: Array[String] = []


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	_tiles.build(MAP)
	add_child(_tiles)
	_tiles.add_place("town", Rect2i(0, 0, 14, 5), true)
	var cart := _tiles.add_object("town:cart", 6, 2)
	var agent := _tiles.add_person("mara", 1, 1)
	agent.arrived.connect(func(action: NpcAction) -> void: _arrivals.append(action.action_id))
	check(await until(agent.can_find_paths), "There is no navigation map.")
	tell(agent, {"action_id": "load", "address": "town:cart", "object_action": "load"})
	check(await until(func() -> bool: return agent.doing == NpcAgent.Doing.WALKING), "She does not set out.")
	await let_steps_pass(30)
	cart.position = _tiles.map_to_local(Vector2i(12, 3))
	check(await until(func() -> bool: return agent.doing == NpcAgent.Doing.ACTING), "She never arrives.")
	result["on_the_way"] = _is_at(agent, cart)
	cart.position = _tiles.map_to_local(Vector2i(1, 3))
	await let_steps_pass(5)
	check(cart.users.is_empty(), "She uses what is not there any more.")
	check(await until(func() -> bool: return agent.doing == NpcAgent.Doing.ACTING), "She does not come after it.")
	result["in_use"] = _is_at(agent, cart)
	result["arrivals"] = _arrivals
	result["told"] = NpcServer._log._events.filter(func(event: Dictionary) -> bool: return event.has("outcome")).size()
	await _fail(agent)


## Who could not do it does nothing, also in words.
func _fail(agent: NpcAgent) -> void:
	NpcServer._session.minds.take("action", _message("draw water", "town:well"))
	var reason := await get_failure(agent)
	result["failed"] = [reason, agent.action == null, NpcServer.get_action("mara") == null, agent.get_predicate()]


func _message(sentence: String, address: String) -> Dictionary:
	return {"action_id": sentence, "npc_id": "mara", "sentence": sentence, "address": address, "end_s": 200_000}


func _is_at(agent: NpcAgent, cart: NpcObject) -> bool:
	return agent in cart.users and agent.get_body_position().distance_to(cart.get_spot()) <= agent.reach_tolerance
