extends NpcTestCase
## Bodies among walls that the navigation map does not have: they go around them or give up. Also how fast they walk.

const ROOM := Vector2(900, 400)
const SPEED := 200.0

var outcomes: Array[Array] = []
var _room: Node2D


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	_room = Node2D.new()
	add_child(_room)
	_add_floor()
	_add_place("town", Rect2(Vector2.ZERO, ROOM), [])
	_add_place("town:east", Rect2(700, 100, 200, 200), [Vector2(100, 100)])
	var mara := _add_body("mara", Vector2(100, 200))
	check(await until(mara.can_find_paths), "There is no navigation map.")
	await _walk_at_speed(mara)
	var free := await _go(mara, "free", "town:east")
	check(free == ["arrived", ""], "Nothing in the way: %s" % str(free))
	for mode: CharacterBody2D.MotionMode in [CharacterBody2D.MOTION_MODE_FLOATING, CharacterBody2D.MOTION_MODE_GROUNDED]:
		(mara.get_parent() as CharacterBody2D).motion_mode = mode
		await _round(mara, "a fence in mode %d" % mode, Rect2(440, 120, 20, 160))
		await _round(mara, "a block in mode %d" % mode, Rect2(400, 150, 100, 100))
	result["around"] = outcomes.duplicate()
	outcomes.clear()
	var wall := _add_wall(Rect2(440, -20, 20, 440))
	_put(mara, Vector2(100, 200))
	var seconds := [0.0]
	var count := func() -> void:
		if mara.get_body_position().x > 420.0:
			seconds[0] += 1.0 / Engine.physics_ticks_per_second
	get_tree().physics_frame.connect(count)
	result["blocked"] = await _go(mara, "wall", "town:east")
	get_tree().physics_frame.disconnect(count)
	result["blocked_s"] = seconds[0]
	# The wall goes away while somebody pushes against it: the body goes on.
	_put(mara, Vector2(400, 200))
	get_tree().create_timer(1.0, false, true).timeout.connect(wall.free)
	result["opened"] = await _go(mara, "opened", "town:east")
	await _stand_beside(mara)


## A body walks at its own speed, however fast the clock runs. Travel times are in game time.
func _walk_at_speed(agent: NpcAgent) -> void:
	for scale: float in [60.0, 3600.0]:
		NpcServer.time_scale = scale
		_put(agent, Vector2(100, 200))
		_tell(agent, "speed %f" % scale, "town:east")
		await until(func() -> bool: return agent.doing == NpcAgent.Doing.WALKING)
		var from := agent.get_body_position()
		await let_steps_pass(60)
		var walked := from.distance_to(agent.get_body_position()) / 60.0 * Engine.physics_ticks_per_second
		check(absf(walked - SPEED) < SPEED * 0.05, "At clock speed %d it walks %.0f px in a second." % [int(scale), walked])
		_put(agent, Vector2(100, 200))
		var told: float = agent.get_reach("town:east", agent.get_path_to_address("town:east"))["travel_s"]
		check(absf(told - 700.0 / SPEED * scale) < 1.0, "At clock speed %d the way takes %.0f s." % [int(scale), told])
	NpcServer.time_scale = 0.0
	var at := agent.get_body_position()
	await let_steps_pass(10)
	check(agent.get_body_position() == at, "Somebody walks while the clock stands.")
	NpcServer.time_scale = 60.0


func _round(agent: NpcAgent, called: String, rect: Rect2) -> void:
	var wall := _add_wall(rect)
	_put(agent, Vector2(100, 200))
	var came := await _go(agent, called, "town:east")
	outcomes.append([called, came])
	wall.free()


## Somebody stands on the very spot.
func _stand_beside(agent: NpcAgent) -> void:
	_add_body("tobin", Vector2(800, 200))
	_put(agent, Vector2(600, 200))
	result["beside"] = await _go(agent, "beside", "town:east")
	result["beside_px"] = agent.get_body_position().distance_to(Vector2(800, 200))
	# A place that holds one stays shut, also to somebody who is inside between two checks.
	NpcPlace.by_address("town:east").capacity = 1
	agent.walk_speed = 80.0
	_put(agent, Vector2(650, 200))
	result["full"] = await _go(agent, "full", "town:east")
	_put(NpcAgents.by_id("tobin"), Vector2(100, 200))
	for x: float in [640.0, 641.0, 642.5] as Array[float]:
		_put(agent, Vector2(x, 200))
		check(await _go(agent, "free %f" % x, "town:east") == ["arrived", ""], "The place is full of who comes from %f." % x)


func _go(agent: NpcAgent, id: String, address: String) -> Array:
	var found: Array = []
	var arrive := func(_action: NpcAction) -> void: found.append_array(["arrived", ""])
	var fail := func(_action: NpcAction, reason: String) -> void: found.append_array(["failed", reason])
	agent.arrived.connect(arrive)
	agent.action_failed.connect(fail)
	_tell(agent, id, address)
	check(await until(func() -> bool: return not found.is_empty()), "%s never ended at %s." % [id, str(agent.get_body_position())])
	agent.arrived.disconnect(arrive)
	agent.action_failed.disconnect(fail)
	return found


func _tell(agent: NpcAgent, id: String, address: String) -> void:
	tell(agent, {"action_id": id, "address": address})


func _put(agent: NpcAgent, at: Vector2) -> void:
	(agent.get_parent() as Node2D).global_position = at


func _add_floor() -> void:
	var shape := NavigationPolygon.new()
	shape.vertices = PackedVector2Array([Vector2(20, 20), Vector2(880, 20), Vector2(880, 380), Vector2(20, 380)])
	shape.add_polygon(PackedInt32Array([0, 1, 2, 3]))
	var region := NavigationRegion2D.new()
	region.navigation_polygon = shape
	_room.add_child(region)


func _add_place(address: String, rect: Rect2, spots: PackedVector2Array) -> void:
	var place := NpcPlace.new()
	place.address = address
	place.position = rect.position
	place.size = rect.size
	place.spots = spots
	_room.add_child(place)


func _add_body(id: String, at: Vector2) -> NpcAgent:
	var body := CharacterBody2D.new()
	var shape := CollisionShape2D.new()
	shape.shape = CircleShape2D.new()
	body.add_child(shape)
	var agent := NpcAgent.new()
	agent.persona_id = id
	agent.walk_speed = SPEED
	body.add_child(agent)
	body.position = at
	_room.add_child(body)
	return agent


func _add_wall(rect: Rect2) -> StaticBody2D:
	var wall := StaticBody2D.new()
	var shape := CollisionShape2D.new()
	var box := RectangleShape2D.new()
	box.size = rect.size
	shape.shape = box
	shape.position = rect.get_center()
	wall.add_child(shape)
	_room.add_child(wall)
	return wall
