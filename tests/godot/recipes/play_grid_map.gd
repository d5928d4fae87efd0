extends Node
## Both walk to work, and Piet through the doorway. Then the doorway is walled up.

const DOORWAY: Array[Vector3i] = [Vector3i(13, 0, 5), Vector3i(13, 0, 6)]

var _cells: RecipeCells
var _low: float = INF
var _high: float = -INF
var _in_walls: int = 0


func play(game: RecipePlay) -> void:
	_cells = game.recipe.get_node(^"Ground/Cells")
	await game.until("Gerda is at the counter", game.has_arrived.bind("gerda", "fernhill:inn:taproom:counter"))
	await game.until("Piet is at the well", game.has_arrived.bind("piet", "fernhill:inn:yard:well"))
	NpcServer.time_scale = 180.0  # half an hour, until the table, takes ten seconds
	await game.until("Piet wipes the table", game.has_arrived.bind("piet", "fernhill:inn:taproom:table"))
	game.said["heights"] = [_low, _high]
	game.said["in_walls"] = _in_walls
	var gerda: NpcAgent = (game.recipe.get_node(^"Gerda") as RecipePerson3D).get_agent()
	game.said["way_out"] = _has_way(gerda)
	for cell: Vector3i in DOORWAY:
		_cells.set_cell_item(cell, RecipeCells.WALL)
	game.recipe.call("bake")
	await game.until("there is no way through a wall", func() -> bool: return not _has_way(gerda))
	game.said["way_out_of_walls"] = _has_way(gerda)


func _physics_process(_delta: float) -> void:
	for agent: NpcAgent in NpcAgent.all():
		_low = minf(_low, agent.get_point().y)
		_high = maxf(_high, agent.get_point().y)
		if _cells != null and _cells.get_item_at(agent.get_point()) == RecipeCells.WALL:
			_in_walls += 1


static func _has_way(agent: NpcAgent) -> bool:
	return agent.get_reach("fernhill:inn:yard:well", agent.get_path_to_address("fernhill:inn:yard:well"))["reachable"]
