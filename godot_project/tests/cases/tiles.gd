extends NpcTestCase
## Bodies on a map of tiles, whose navigation ends at the walls themselves: through doors of one tile, from all sides.

const MAP: PackedStringArray = [
	"####################",
	"#......#.....#.....#",
	"#......#.....#.....#",
	"#............#.....#",
	"#......#.....#.....#",
	"#......#...........#",
	"####.#####.#####.###",
	"#..................#",
	"#......#...........#",
	"#......#...........#",
	"####################",
]
const STARTS: Array[Vector2i] = [
	Vector2i(1, 1),
	Vector2i(6, 5),
	Vector2i(6, 1),
	Vector2i(8, 5),
	Vector2i(12, 1),
	Vector2i(14, 1),
	Vector2i(18, 5),
	Vector2i(1, 9),
	Vector2i(18, 9)
]

var _tiles := NpcTestTiles.new()


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	_tiles.build(MAP)
	add_child(_tiles)
	_tiles.add_place("town", Rect2i(0, 0, 20, 11), true)
	for start: Vector2i in STARTS:
		_tiles.add_object("town:spot_%d_%d" % [start.x, start.y], start.x, start.y)
	var stuck: Array[String] = []
	var ways := 0
	for shape: String in ["circle", "box"]:
		var agent := _tiles.add_person("mara", 1, 1)
		if shape == "box":
			var box := RectangleShape2D.new()
			box.size = Vector2(20, 20)
			(agent.get_parent().get_child(0) as CollisionShape2D).shape = box
		agent.walk_speed = 200.0
		check(await until(agent.can_find_paths), "There is no navigation map.")
		for from: Vector2i in STARTS:
			for to: Vector2i in STARTS:
				if from.distance_squared_to(to) < 9:
					continue
				(agent.get_parent() as Node2D).global_position = _tiles.middle_of(from.x, from.y)
				ways += 1
				var began := Engine.get_physics_frames()
				var failure := await _go(agent, "%s %d" % [shape, ways], "town:spot_%d_%d" % [to.x, to.y])
				var needed := (Engine.get_physics_frames() - began) / float(Engine.physics_ticks_per_second)
				if not failure.is_empty() or needed > 6.0:
					stuck.append("%s %s-%s %s %.1f" % [shape, from, to, failure, needed])
		agent.get_parent().free()
	result = {"ways": ways, "stuck": stuck, "met": await _meet_in_a_door()}


## Two who walk in opposite directions meet in a door. Afterwards they are solid for each other again.
func _meet_in_a_door() -> Array[String]:
	var mara := _tiles.add_person("mara", 1, 3)
	var tobin := _tiles.add_person("tobin", 12, 3)
	var came: Array[String] = []
	for agent: NpcAgent in [mara, tobin] as Array[NpcAgent]:
		agent.arrived.connect(func(_action: NpcAction) -> void: came.append("arrived"))
		agent.action_failed.connect(func(_action: NpcAction, reason: String) -> void: came.append(reason))
	_tiles.add_object("town:west", 1, 3)
	_tiles.add_object("town:east", 12, 3)
	check(await until(mara.can_find_paths) and await until(tobin.can_find_paths), "There is no navigation map.")
	tell(mara, {"action_id": "meet", "address": "town:east"})
	tell(tobin, {"action_id": "meet", "address": "town:west"})
	check(await until(func() -> bool: return came.size() == 2), "They never get past each other.")
	check((mara.get_parent() as PhysicsBody2D).get_collision_exceptions().is_empty(), "They stay without substance.")
	return came


func _go(agent: NpcAgent, id: String, address: String) -> String:
	var found: Array[String] = []
	var arrive := func(_action: NpcAction) -> void: found.append("")
	var fail := func(_action: NpcAction, reason: String) -> void: found.append(reason)
	agent.arrived.connect(arrive)
	agent.action_failed.connect(fail)
	tell(agent, {"action_id": id, "address": address})
	check(await until(func() -> bool: return not found.is_empty()), "%s never ended." % id)
	agent.arrived.disconnect(arrive)
	agent.action_failed.disconnect(fail)
	return found[0]
