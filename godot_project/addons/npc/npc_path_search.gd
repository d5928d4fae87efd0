class_name NpcPathSearch
extends RefCounted
## Searches the paths from a body to some addresses on one of Godot's worker threads.

var _task: int = -1
var _from: Vector3
var _space: NpcSpace
## Keeps the navigation map alive while the search runs.
var _world: Resource
var _goals: Dictionary[String, Vector3] = {}
var _paths: Dictionary[Vector3, PackedVector3Array] = {}
var _agent: NpcAgent


func _init(agent: NpcAgent, addresses: PackedStringArray) -> void:
	_agent = agent
	_from = agent.get_point()
	_space = agent.space
	_world = _space.get_world()
	for address: String in addresses:
		var goal: Variant = agent.find_goal(address)
		if goal != null:
			_goals[address] = goal
	_task = WorkerThreadPool.add_task(_search.bind(_space.get_map(), agent.reach_tolerance), false, "ways of " + agent.persona_id)


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
func get_path_to(address: String) -> PackedVector3Array:
	return _paths[_goals[address]] if _goals.has(address) else PackedVector3Array()


# Runs on a worker thread: it uses only its own variables and the navigation server.
func _search(map: RID, tolerance: float) -> void:
	for goal: Vector3 in _goals.values():
		_paths[goal] = _space.find_path(map, _from, goal, tolerance)
