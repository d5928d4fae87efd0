extends Node
## A 3D game of one scene, made in code: two people with 3D bodies live from eight to ten. It prints what they did.

const PATIENCE_S := 180.0
const END_HOUR := 10.6

var _said: Dictionary = {"failed": [], "arrived": [], "not_done": [], "reaches": {}, "in_closed_shop": 0}
var _world := NpcTestWorld3D.new()
## It bars the way from the quay, until somebody has walked into it.
var _barrier: StaticBody3D = null


func _ready() -> void:
	add_child(_world)
	NpcServer.failed.connect(func(error: NpcError) -> void: _hear("failed", [error.reason, error.message]))
	_add_town()
	_barrier = _world.add_wall(AABB(Vector3(0, 0, -6), Vector3(0.3, 2, 12)))
	for id: String in ["rosa", "otto"] as Array[String]:
		var agent := _world.add_character(id, Vector3(-7, 0.3, 3 if id == "otto" else -3))
		agent.walk_speed = 4.0
		agent.arrived.connect(_on_arrived.bind(agent))
		agent.action_failed.connect(_on_action_failed)
	_add_player()
	NpcServer.time_scale = 120.0
	NpcServer.start()
	await _until(func() -> bool: return NpcServer.is_playing() or not (_said["failed"] as Array).is_empty())
	if NpcServer.is_playing():
		await _play()
	print("RESULT ", JSON.stringify(_said))
	NpcServer.stop()
	get_tree().quit()


func _add_town() -> void:
	for place: Array in [
		["harbor:quay", Vector3(-6, 0, 0), Vector3(8, 3, 10)],
		["harbor:quay:market", Vector3(-6, 0, 0), Vector3(8, 3, 10)],
		["harbor:shop", Vector3(4, 0, 0), Vector3(6, 3, 10)],
		["harbor:shop:floor", Vector3(4, 0, 0), Vector3(6, 3, 10)],
		["harbor:shed", Vector3(19, 3, 0), Vector3(6, 3, 10)],
		["harbor:shed:loft", Vector3(19, 3, 0), Vector3(6, 3, 10)],
		["harbor:islet", Vector3(0, 0, 17), Vector3(6, 3, 6)],
		["harbor:islet:beach", Vector3(0, 0, 17), Vector3(6, 3, 6)],
	]:
		_world.add_place(place[0] as String, place[1] as Vector3, place[2] as Vector3).open = true
	NpcPlace3D.by_address("harbor:shop").hours = "10:00-18:00"
	_world.add_object("harbor:shop:floor:counter", Vector3(4, 0, 3))
	_world.add_object("harbor:shed:loft:bench", Vector3(20, 3, 2))
	_world.add_object("harbor:shed:loft:peg", Vector3(18, 3, -3))
	_world.add_object("harbor:islet:beach:rock", Vector3(0, 0, 17))
	var stall := _world.add_object("harbor:quay:market:stall", Vector3(-8, 0, 0))
	stall.states = ["tidy", "untidy"]
	stall.state = "tidy"
	stall.actions = {"sell fish": {"needs": "tidy", "during": "untidy", "after": "tidy"}}


func _add_player() -> void:
	var player := Node3D.new()
	player.name = "Robin"
	player.position = Vector3(-5, 0, 0)
	player.add_to_group(NpcAgent.PLAYER_GROUP)
	_world.add_child(player)


func _play() -> void:
	await _until(func() -> bool: return (_said["arrived"] as Array).any(func(seen: Array) -> bool: return seen[0] == "rosa"))
	_said["stall"] = NpcObject3D.by_address("harbor:quay:market:stall").state
	var reply := NpcServer.say("rosa", "Robin", "What is your boat called?")
	_said["answered"] = await reply.done()
	_said["answer"] = reply.text
	_said["saw_deed"] = NpcServer.player_did("Robin", "juggles three herrings", Vector3(-5, 0, 0))
	await _until(func() -> bool: return _is_over() or _get_hour() >= 9.5)
	_said["reaches"] = ["islet:beach:rock", "shop:floor:counter", "quay:market:stall"].map(_is_reachable)
	await _until(_is_over)
	for id: String in ["rosa", "otto"] as Array[String]:
		var memories := NpcServer.call_server("MindService/ListMemories", {"npc_id": id, "page_size": 200})
		await memories.done()
		_said["memories of " + id] = JSON.stringify(memories.response)


## Looks in each frame whether Otto is in the shop before it opens.
func _is_over() -> bool:
	var otto := NpcAgents.by_id("otto")
	if _get_hour() < 10.0 and otto.doing == NpcAgent.Doing.ACTING and otto.get_place_address().begins_with("harbor:shop"):
		_said["in_closed_shop"] += 1
	return _get_hour() >= END_HOUR


func _get_hour() -> float:
	return fmod(NpcServer.game_time_s, 86400.0) / 3600.0


func _is_reachable(address: String) -> bool:
	var otto := NpcAgents.by_id("otto")
	return otto.get_reach("harbor:" + address, otto.get_path_to_address("harbor:" + address))["reachable"]


func _on_action_failed(action: NpcAction, reason: String) -> void:
	_hear("not_done", [action.npc_id, action.address, reason])
	if is_instance_valid(_barrier):
		_barrier.free()


func _on_arrived(action: NpcAction, agent: NpcAgent) -> void:
	var point := agent.get_point()
	var here := NpcPlace3D.at(point)
	_hear("arrived", [agent.persona_id, action.address, here.address if here != null else "", snappedf(point.y, 0.1)])


func _hear(what: String, value: Variant) -> void:
	(_said[what] as Array).append(value)


func _until(condition: Callable) -> void:
	var left := PATIENCE_S
	while left > 0.0 and not condition.call():
		left -= get_process_delta_time()
		await get_tree().process_frame
