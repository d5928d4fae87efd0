extends NpcTestCase
## A scene takes the place of another while its people have something to do: the navigation map of the old one is no map.

const MAP: PackedStringArray = ["##########", "#........#", "#........#", "##########"]
const SCENES := 6

var _failed: Array[String] = []


func run() -> void:
	pretend_to_play()
	for i: int in SCENES:
		NpcServer.npc_ids.append("person_%d" % i)
	NpcServer.auto_clock = false
	NpcServer.game_time_s = 100_000.0
	NpcServer.failed.connect(func(error: NpcError) -> void: _failed.append(error.reason + " " + error.message))
	var came: Array[String] = []
	var reaches: Array[bool] = []
	var old := _open(0)
	check(await until(NpcAgents.by_id("person_0").can_find_paths), "There is no navigation map.")
	for i: int in range(1, SCENES):
		var before := NpcServer._log._events.size()
		old.free()
		old = _open(i)
		var agent := NpcAgents.by_id("person_%d" % i)
		agent.arrived.connect(func(_action: NpcAction) -> void: came.append("arrived"))
		agent.action_failed.connect(func(_action: NpcAction, reason: String) -> void: came.append(reason))
		tell(agent, {"action_id": "go", "address": "town:room_%d:end" % i})
		NpcServer.path_queried.emit(agent.persona_id, "q", PackedStringArray(["town:room_%d:end" % i]))
		check(await until(func() -> bool: return came.size() == i), "Nothing came of it in scene %d." % i)
		var answers := NpcServer._log._events.slice(before).filter(func(event: Dictionary) -> bool: return event.has("path_result"))
		for answer: Dictionary in answers:
			reaches.append(answer["path_result"]["reaches"][0]["reachable"])
	result = {"came": came, "reaches": reaches, "failed": _failed}
	stop_pretending()


## Each scene lies where no other is. Every other one is a map of tiles.
func _open(number: int) -> Node2D:
	var tiles := NpcTestTiles.new()
	tiles.position = Vector2(number * 5000, 0)
	if number % 2 == 0:
		tiles.build(MAP)
	else:
		var region := NavigationRegion2D.new()
		var shape := NavigationPolygon.new()
		shape.vertices = PackedVector2Array([Vector2(32, 32), Vector2(288, 32), Vector2(288, 96), Vector2(32, 96)])
		shape.add_polygon(PackedInt32Array([0, 1, 2, 3]))
		region.navigation_polygon = shape
		tiles.tile_set = TileSet.new()
		tiles.tile_set.tile_size = Vector2i(32, 32)
		tiles.add_child(region)
	tiles.add_place("town:room_%d" % number, Rect2i(0, 0, 10, 4), true)
	tiles.add_object("town:room_%d:end" % number, 8, 1)
	tiles.add_person("person_%d" % number, 1, 1)
	add_child(tiles)
	return tiles
