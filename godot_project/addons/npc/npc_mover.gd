class_name NpcMover
extends RefCounted
## Moves the body of an [NpcAgent]: finds paths, follows them, and goes around obstacles.
##
## All times are in seconds of real time (delta). The game clock plays no part.

## The result of a step.
enum Step { WALKING, THERE, BLOCKED }

## Seconds without progress after which another path is tried.
const PATIENCE_S := 2.0
## How many other paths are tried before the body gives up.
const MAX_DETOURS := 2
## Progress below what the body walks in this time, in seconds, counts as standing still.
const MIN_PROGRESS_S := 0.1
## Seconds of standing within the agent's reach_tolerance of the target after which the body has arrived.
const NEAR_ENOUGH_S := 0.25
## Distance in pixels at which a body that slides along an obstacle has passed a corner of its path.
const CORNER_PX := 8.0
## Distance in pixels within which a corner is skipped if the body is too wide to reach it.
const WIDE_CORNER_PX := 32.0
## Distances in pixels to the side at which a detour is tried.
const SIDESTEPS: Array[float] = [32.0, 64.0, 96.0, 128.0, 192.0, 256.0]
## Lengths in pixels of a detour beside the obstacle, the longest first.
const DETOUR_LENGTHS: Array[float] = [192.0, 96.0, 64.0]
## How many paths are kept: those of two path queries.
const MAX_PATHS := 32
## How far a point of a detour may be off the navigation map, in pixels.
const OFF_MAP_PX := 4.0

## The direction in which the body looks, as a unit vector.
var heading := Vector2.DOWN

var _agent: NpcAgent
var _body: Node2D
## The body if physics moves it, else [code]null[/code].
var _character: CharacterBody2D
var _path := PackedVector2Array()
## For each point of the path, the distance left from there to the end.
var _left_from := PackedFloat32Array()
var _index: int = 0
var _next_index: int = 0
var _paths: Dictionary[Vector2, PackedVector2Array] = {}
var _paths_from := Vector2.ZERO
var _paths_iteration: int = 0
var _least_left: float = INF
var _standing_s: float = 0.0
var _detours: int = 0
var _left_when_blocked: float = 0.0


func _init(agent: NpcAgent, body: Node2D) -> void:
	_agent = agent
	_body = body
	_character = body as CharacterBody2D


## Returns [code]true[/code] if Godot's navigation knows the map. It does so some frames after its regions were added.
func can_navigate() -> bool:
	var map := _get_map()
	if NavigationServer2D.map_get_iteration_id(map) == 0:
		return false
	# Without an owner at the closest point the map is still empty.
	return NavigationServer2D.map_get_closest_point_owner(map, _body.global_position).is_valid()


## Returns the path from the body to a point; empty if there is none. The result is kept while body and map stay the
## same: first a path query asks for it, then the body walks it.
func find_path(goal: Vector2) -> PackedVector2Array:
	var from := _body.global_position
	var iteration := NavigationServer2D.map_get_iteration_id(_get_map())
	if iteration != _paths_iteration or from.distance_squared_to(_paths_from) > 1.0 or _paths.size() >= MAX_PATHS:
		_paths.clear()
		_paths_iteration = iteration
		_paths_from = from
	if not _paths.has(goal):
		_paths[goal] = _search_path(from, goal)
	return _paths[goal]


## Keeps paths that were found elsewhere, by target. They start at [param from].
func keep_paths(from: Vector2, paths: Dictionary[Vector2, PackedVector2Array]) -> void:
	_paths = paths.duplicate()
	_paths_from = from
	_paths_iteration = NavigationServer2D.map_get_iteration_id(_get_map())


## Returns how many seconds the body needs for a path.
func get_walk_s(path: PackedVector2Array) -> float:
	var sum := 0.0
	for i: int in range(1, path.size()):
		sum += path[i - 1].distance_to(path[i])
	return sum / maxf(_agent.walk_speed, 0.01)


## Begins to follow a path from [method find_path].
func follow(path: PackedVector2Array) -> void:
	_detours = 0
	_take(path)


## Returns the point that the next step leads to. [method move_to] takes the step.
func get_next_point(delta: float) -> Vector2:
	var left := _agent.walk_speed * delta
	var here := _body.global_position
	_next_index = _index
	while _next_index < _path.size() and left > 0.0:
		var next := _path[_next_index]
		var far := here.distance_to(next)
		if far > 0.5:
			heading = (next - here) / far
		if far > left:
			return here.move_toward(next, left)
		here = next
		left -= far
		_next_index += 1
	return here


## Moves the body to the point from [method get_next_point], or as near as obstacles allow.
func move_to(next: Vector2, delta: float) -> Step:
	if _character == null:
		_body.global_position = next
		_index = _next_index
	else:
		_character.velocity = (next - _body.global_position) / delta
		_character.move_and_slide()
		if _body.global_position.distance_to(next) <= 0.5:
			_index = _next_index
		else:
			_pass_corners()
	return Step.THERE if _index >= _path.size() else _watch(delta)


## Stops the body.
func stop() -> void:
	_path = PackedVector2Array()
	_index = 0
	if _character != null:
		_character.velocity = Vector2.ZERO


func _take(path: PackedVector2Array) -> void:
	_path = path
	_left_from.resize(path.size())
	var sum := 0.0
	for i: int in range(path.size() - 1, -1, -1):
		sum += path[i].distance_to(path[i + 1]) if i + 1 < path.size() else 0.0
		_left_from[i] = sum
	_index = 0
	_least_left = INF
	_standing_s = 0.0


## Skips corners of the path that a sliding body has passed: it is near them, or fits towards the next corner.
func _pass_corners() -> void:
	while _index < _path.size() - 1:
		var here := _body.global_position
		var far := here.distance_to(_path[_index])
		var on := (_path[_index + 1] - here).limit_length(WIDE_CORNER_PX)
		if far > WIDE_CORNER_PX or far > CORNER_PX and not _fits(here, on):
			return
		_index += 1


## Measures how long the body has made no progress.
func _watch(delta: float) -> Step:
	var left := _body.global_position.distance_to(_path[_index]) + _left_from[_index]
	if left < _least_left - _agent.walk_speed * MIN_PROGRESS_S:
		_least_left = left
		_standing_s = 0.0
		if left < _left_when_blocked - _agent.walk_speed * PATIENCE_S:
			_detours = 0
		return Step.WALKING
	_standing_s += delta
	var goal := _path[_path.size() - 1]
	if _standing_s >= NEAR_ENOUGH_S and _body.global_position.distance_to(goal) <= _agent.reach_tolerance:
		return Step.THERE
	if _standing_s < PATIENCE_S:
		return Step.WALKING
	_left_when_blocked = left
	return Step.THERE if _is_taken(goal) else _try_another_path(goal)


func _try_another_path(goal: Vector2) -> Step:
	_detours += 1
	if _detours > MAX_DETOURS:
		return Step.BLOCKED
	var path := find_path(goal)
	if path.is_empty() or _is_rest_of_path(path):
		var around := _find_detour(goal)
		if around.is_empty():
			# Push on for a while, once: the obstacle may go away.
			_detours = MAX_DETOURS
			around = _path.slice(_index)
		path = around
	_take(path)
	return Step.WALKING


func _is_rest_of_path(path: PackedVector2Array) -> bool:
	if path.size() - 1 != _path.size() - _index:
		return false
	for i: int in range(1, path.size()):
		if path[i].distance_to(_path[_index + i - 1]) > 1.0:
			return false
	return true


## Finds a detour around an obstacle that the navigation map does not have: to the side, past it, and on to the target.
func _find_detour(goal: Vector2) -> PackedVector2Array:
	var here := _body.global_position
	for far: float in SIDESTEPS:
		for side: Vector2 in [heading.orthogonal() * far, heading.orthogonal() * -far] as Array[Vector2]:
			if not _is_on_map(here + side) or not _fits(here, side):
				continue
			for on: float in DETOUR_LENGTHS:
				var beyond := here + side + heading * on
				if _is_on_map(beyond) and _fits(here + side, heading * on):
					var path := _search_path(beyond, goal)
					if not path.is_empty():
						return PackedVector2Array([here, here + side]) + path
	return PackedVector2Array()


## Returns [code]true[/code] if the body touches somebody who stands on the target. Then it has arrived beside them.
func _is_taken(goal: Vector2) -> bool:
	if _character == null:
		return false
	for i: int in _character.get_slide_collision_count():
		var other := NpcAgents.of_body(_character.get_slide_collision(i).get_collider() as Node2D)
		if other != null and other.doing != NpcAgent.Doing.WALKING:
			if other.get_body_position().distance_to(goal) <= _agent.reach_tolerance * 2.0:
				return true
	return false


## Returns [code]true[/code] if the body can move from a point without touching anything.
func _fits(from: Vector2, motion: Vector2) -> bool:
	var solid := _body as PhysicsBody2D
	if solid == null:
		return true
	var there := solid.global_transform
	there.origin = from
	return not solid.test_move(there, motion)


func _is_on_map(point: Vector2) -> bool:
	return NavigationServer2D.map_get_closest_point(_get_map(), point).distance_to(point) <= OFF_MAP_PX


func _search_path(from: Vector2, goal: Vector2) -> PackedVector2Array:
	return NpcPathSearch.find(_get_map(), from, goal, _agent.reach_tolerance)


func _get_map() -> RID:
	return _body.get_world_2d().navigation_map
