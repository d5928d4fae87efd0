extends NpcTestCase
## Bodies in 3D walk, climb a ramp, turn, go around what is in the way or give up, and do not fall for ever. Without a
## server.

const SPEED := 4.0

var world := NpcTestWorld3D.new()
var errors: Array[String] = []
var told: Array[String] = []


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(error.reason))
	NpcServer.failed.connect(func(error: NpcError) -> void: told.append(error.message))
	add_child(world)
	world.add_place("town", Vector3(6, -1, 0), Vector3(40, 8, 60))
	world.add_place("town:west", Vector3(-7, 0, 0), Vector3(4, 3, 8))
	world.add_place("town:east", Vector3(6, 0, 0), Vector3(4, 3, 8))
	world.add_place("town:above", Vector3(20, 3, 0), Vector3(4, 3, 8))
	world.add_place("town:below", Vector3(20, 0, -3.5), Vector3(4, 3, 3))
	world.add_place("town:island", Vector3(0, 0, 17), Vector3(4, 3, 4))
	var mara := world.add_character("mara", Vector3(-7, 0.5, 0))
	check(await until(mara.can_find_paths), "There is no navigation map.")
	result["usual"] = [mara.walk_speed, mara.reach_tolerance]
	await _ask_too_much()
	await _walk_at_speed(mara)
	mara.walk_speed = SPEED
	result["floors"] = [await _go(mara, "town:above"), await _go(mara, "town:below"), await _go(mara, "town:island")]
	await _meet_obstacles(mara)
	await _fall(mara)
	await _move_others()
	result["errors"] = errors


## What lies too far from the navigation map is told once, and a world without a map, too.
func _ask_too_much() -> void:
	world.add_object("town:west:bench", Vector3(-7, 0, -8))
	world.add_object("town:west:chair", Vector3(-7, 0, -5.5))
	var elsewhere := SubViewport.new()
	elsewhere.own_world_3d = true
	add_child(elsewhere)
	var body := Node3D.new()
	var lost := NpcAgent.new()
	lost.persona_id = "lost"
	body.add_child(lost)
	elsewhere.add_child(body)
	var queue := NpcServer.find_children("*", "NpcPathQueue", true, false)[0] as NpcPathQueue
	for id: String in ["mara", "mara", "lost", "lost"]:
		var before := queue.answered
		NpcServer.path_queried.emit(id, "q", PackedStringArray(["town:west:bench", "town:west:chair", "town:island", "town:east"]))
		check(await until(func() -> bool: return queue.answered > before), "%s gets no answer." % id)
	result["told"] = told.duplicate()
	told.clear()
	errors.clear()
	elsewhere.free()


## It falls to the ground first, and walks at its own speed with its front ahead.
func _walk_at_speed(mara: NpcAgent) -> void:
	_tell(mara, "speed", "town:east")
	await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING)
	await let_steps_pass(60)
	var from := mara.get_point()
	await let_steps_pass(60)
	result["speed"] = from.distance_to(mara.get_point()) / 60.0 * Engine.physics_ticks_per_second
	var body := mara.get_parent() as CharacterBody3D
	check(body.is_on_floor() and absf(mara.get_point().y) < 0.05, "It walks at a height of %f." % mara.get_point().y)
	check((-body.global_basis.z).distance_to(Vector3.RIGHT) < 0.1, "It walks east and looks to %s." % -body.global_basis.z)
	check(mara.get_heading_3d().distance_to(Vector3.RIGHT) < 0.01, "Its heading is %s." % mara.get_heading_3d())
	check(mara.get_heading().distance_to(Vector2.RIGHT) < 0.01, "Its heading from above is %s." % mara.get_heading())
	NpcServer.time_scale = 60.0
	var told: float = mara.get_reach("town:east", mara.get_path_to_address("town:east"))["travel_s"]
	var left := mara.get_point().distance_to(Vector3(6, 0, 0)) / mara.walk_speed * 60.0
	check(absf(told - left) < 1.0, "The way takes %.1f s and not %.1f." % [told, left])


## Goes to a place. Returns how it went and where it ended.
func _go(agent: NpcAgent, address: String) -> Array:
	var found: Array = []
	var arrive := func(_action: NpcAction) -> void: found.append("arrived")
	var fail := func(_action: NpcAction, reason: String) -> void: found.append(reason)
	agent.arrived.connect(arrive)
	agent.action_failed.connect(fail)
	_tell(agent, "%s %d" % [address, frames], address)
	check(await until(func() -> bool: return not found.is_empty()), "%s never ended at %s." % [address, agent.get_point()])
	agent.arrived.disconnect(arrive)
	agent.action_failed.disconnect(fail)
	var here := NpcPlace3D.at(agent.get_point())
	return [found[0], here.address if here != null else "", snappedf(agent.get_point().y, 0.1)]


func _meet_obstacles(mara: NpcAgent) -> void:
	mara.space.put(Vector3(-7, 0, 0))
	var fence := world.add_wall(AABB(Vector3(-2, 0, -2), Vector3(0.3, 2, 4)))
	result["around"] = await _go(mara, "town:east")
	fence.free()
	mara.space.put(Vector3(-7, 0, 0))
	var wall := world.add_wall(AABB(Vector3(-2, 0, -6), Vector3(0.3, 2, 12)))
	result["blocked"] = await _go(mara, "town:east")
	wall.free()
	mara.space.put(Vector3(-7, 0, 0))
	world.add_character("tobin", Vector3(6, 0, 0), 0.0)
	await let_steps_pass(2)
	result["beside"] = await _go(mara, "town:east")
	result["beside_m"] = mara.get_point().distance_to(Vector3(6, 0, 0))
	result["past"] = await _go(mara, "town:below")


## Where no floor carries it, a body walks on at the height of the navigation map.
func _fall(mara: NpcAgent) -> void:
	mara.space.put(Vector3(-7, 0, 0))
	for child: Node in world.get_children():
		if child is StaticBody3D:
			(child as StaticBody3D).collision_layer = 0
	result["no_floor"] = (await _go(mara, "town:below")).slice(0, 2)


## A body without gravity keeps its height above the navigation map, also up the ramp.
func _move_others() -> void:
	var drone := Node3D.new()
	drone.position = Vector3(-7, 1.2, 0)
	var agent := world.add_agent("drone", drone)
	agent.walk_speed = SPEED
	agent.turns_body = false
	result["drone"] = await _go(agent, "town:above")
	check(drone.rotation == Vector3.ZERO, "It turns, and should not.")
	var ghost := world.add_character("ghost", Vector3(-7, 0.5, 3))
	(ghost.get_parent() as CharacterBody3D).motion_mode = CharacterBody3D.MOTION_MODE_FLOATING
	ghost.walk_speed = SPEED
	result["ghost"] = await _go(ghost, "town:above")
	var at := drone.position
	NpcServer.time_scale = 0.0
	_tell(agent, "frozen", "town:west")
	await let_steps_pass(10)
	check(drone.position == at, "Somebody walks while the clock stands.")
	NpcServer.time_scale = 60.0


func _tell(agent: NpcAgent, id: String, address: String) -> void:
	tell(agent, {"action_id": id, "address": address})
