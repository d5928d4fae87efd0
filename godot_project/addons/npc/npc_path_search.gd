class_name NpcPathSearch
extends RefCounted
## Searches the paths from a body to some addresses on one of Godot's worker threads.

var _task: int = -1
var _from: Vector2
## Keeps the navigation map alive while the search runs.
var _world: World2D
var _goals: Dictionary[String, Vector2] = {}
var _paths: Dictionary[Vector2, PackedVector2Array] = {}
var _agent: NpcAgent


func _init(agent: NpcAgent, addresses: PackedStringArray) -> void:
	_agent = agent
	_from = agent.get_body_position()
	_world = (agent.get_parent() as Node2D).get_world_2d()
	for address: String in addresses:
		var goal: Variant = agent.get_spot_of(address)
		if goal != null:
			_goals[address] = goal
	_task = WorkerThreadPool.add_task(_search.bind(_world.navigation_map, agent.reach_tolerance), false, "ways of " + agent.persona_id)


## Returns [code]true[/code] when all paths are known.
func is_done() -> bool:
	if _task >= 0 and WorkerThreadPool.is_task_completed(_task):
		finish()
	return _task < 0


## Waits for the end of the search, which takes a millisecond or two.
func finish() -> void:
	if _task < 0:
		return
	WorkerThreadPool.wait_for_task_completion(_task)
	_task = -1
	if is_instance_valid(_agent) and _agent.is_inside_tree():
		_agent.keep_paths(_from, _paths)


## Returns the path to an address; empty if there is none.
func get_path_to(address: String) -> PackedVector2Array:
	return _paths[_goals[address]] if _goals.has(address) else PackedVector2Array()


## Returns the path between two points of a map. Returns an empty path if it ends further than [param tolerance] from
## [param goal].
static func find(map: RID, from: Vector2, goal: Vector2, tolerance: float) -> PackedVector2Array:
	var query := NavigationPathQueryParameters2D.new()
	query.metadata_flags = NavigationPathQueryParameters2D.PATH_METADATA_INCLUDE_NONE
	query.map = map
	query.start_position = from
	query.target_position = goal
	var answer := NavigationPathQueryResult2D.new()
	NavigationServer2D.query_path(query, answer)
	var path := answer.path
	return path if not path.is_empty() and path[-1].distance_to(goal) <= tolerance else PackedVector2Array()


# Runs on a worker thread: it uses only its own variables and the navigation server.
func _search(map: RID, tolerance: float) -> void:
	for goal: Vector2 in _goals.values():
		_paths[goal] = find(map, _from, goal, tolerance)
