extends NpcTestCase
## The town with a real server, left and opened again. Everybody goes on meanwhile, and is in the right place
## afterwards.

const SCENE := "res://demo/town.tscn"

var arrived: Dictionary[String, int] = {}
var errors: Array[String] = []
## How many bodies appeared where their people were busy when the scene was opened.
var appeared: int = 0
var _seen_seq: int = 0


func has_absent_characters() -> bool:
	return true


func run() -> void:
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(str(error)))
	await get_tree().process_frame
	# First there is no scene at all.
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	NpcServer.time_scale = 480.0
	check(await _everybody_arrives(2), "Somebody is stuck without a scene: %s" % str(arrived))
	for visit: int in 2:
		var there := _who_is_there()
		var town: DemoTown = (load(SCENE) as PackedScene).instantiate()
		get_tree().root.add_child(town)
		await get_tree().process_frame
		_check_bodies(town, there)
		NpcServer.time_scale = 480.0
		check(await _everybody_arrives(2), "Somebody is stuck in the scene: %s" % str(arrived))
		town.free()
		await get_tree().process_frame
		check(await _everybody_arrives(2), "Somebody is stuck when the scene is left: %s" % str(arrived))
	result = {"errors": errors, "people": arrived.size(), "appeared": appeared}


## Returns the actions of those who have arrived, by their ids.
func _who_is_there() -> Dictionary[String, String]:
	var found: Dictionary[String, String] = {}
	for npc_id: String in NpcServer.absent._characters:
		if NpcServer.absent._characters[npc_id].progress == NpcAbsent.Progress.THERE:
			found[npc_id] = NpcServer.get_action(npc_id).action_id
	return found


func _check_bodies(town: DemoTown, there: Dictionary[String, String]) -> void:
	for person: DemoPerson in town.people:
		var agent := person.get_agent()
		check(agent.action != null, "%s does not know what to do." % agent.persona_id)
		if agent.action != null and there.get(agent.persona_id, "") == agent.action.action_id:
			appeared += 1
			var spot: Vector2 = agent.get_spot_of(agent.action.address)
			check(agent.get_body_position() == spot, "%s does not stand where it is busy." % agent.persona_id)


func _everybody_arrives(times: int) -> bool:
	arrived.clear()
	for npc_id: String in NpcServer.npc_ids:
		arrived[npc_id] = 0
	return await until(func() -> bool: return arrived.values().all(func(count: int) -> bool: return count >= times))


func _process(_delta: float) -> void:
	for event: Dictionary in NpcServer._log._events:
		if event["seq"] > _seen_seq and event.has("outcome"):
			var outcome: Dictionary = event["outcome"]
			if str(outcome["status"]).ends_with("ARRIVED"):
				arrived[outcome["npc_id"]] = arrived.get(outcome["npc_id"], 0) + 1
	_seen_seq = NpcServer._log.last_seq
