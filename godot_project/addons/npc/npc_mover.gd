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
## Seconds without progress after which two bodies that walk let each other pass.
const LET_PASS_S := 0.5
## They are past each other when so many times the body's width from its middle to its edge are between them.
const PASSED_WIDTHS := 2.5
## Distance at which a body that slides along an obstacle has passed a corner of its path. This and the following
## lengths are in metres of [member NpcSpace.scale].
const CORNER_M := 0.25
## Distance within which a corner is skipped if the body is too wide to reach it.
const WIDE_CORNER_M := 1.0
## Distances to the side at which a detour is tried.
const SIDESTEPS_M: Array[float] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0]
## Lengths of a detour beside the obstacle, the longest first.
const DETOUR_LENGTHS_M: Array[float] = [6.0, 3.0, 2.0]
## How far a point of a detour may be off the navigation map.
const OFF_MAP_M := 0.125
## What is no further away than this is in the same place.
const SAME_M := 1.0 / 64.0
## How many paths are kept: those of two path queries.
const MAX_PATHS := 32

## The direction in which the body looks as seen from above, as a unit vector.
var heading: Vector3

var _agent: NpcAgent
var _space: NpcSpace
## [constant SAME_M] in units.
var _same: float
var _path := PackedVector3Array()
## The path as it was found. The body follows [member _path], which keeps off the walls.
var _found_path := PackedVector3Array()
## For each point of the path, the distance left from there to the end.
var _left_from := PackedFloat32Array()
var _index: int = 0
var _next_index: int = 0
var _paths: Dictionary[Vector3, PackedVector3Array] = {}
var _paths_from := Vector3.ZERO
var _paths_version: int = 0
var _least_left: float = INF
var _standing_s: float = 0.0
var _detours: int = 0
## The bodies that this one walks through, because both walk and neither could go on.
var _passing: Array[Node] = []
var _left_when_blocked: float = 0.0


func _init(agent: NpcAgent, space: NpcSpace) -> void:
	_agent = agent
	_space = space
	_same = SAME_M * space.scale
	heading = space.front


## Returns [code]true[/code] if Godot's navigation knows the map. It does so some frames after its regions were added.
func can_navigate() -> bool:
	return _space.can_navigate()


## Returns the path from the body to a point; empty if there is none. The result is kept while body and map stay the
## same: first a path query asks for it, then the body walks it.
func find_path(goal: Vector3) -> PackedVector3Array:
	var from := _space.get_point()
	var version := _space.get_map_version()
	if version != _paths_version or from.distance_to(_paths_from) > _same * 2.0 or _paths.size() >= MAX_PATHS:
		_paths.clear()
		_paths_version = version
		_paths_from = from
	if not _paths.has(goal):
		_paths[goal] = _search_path(from, goal)
	return _paths[goal]


## Keeps paths that were found elsewhere, by target. They start at [param from].
func keep_paths(from: Vector3, paths: Dictionary[Vector3, PackedVector3Array]) -> void:
	_paths = paths.duplicate()
	_paths_from = from
	_paths_version = _space.get_map_version()


## Returns how many seconds the body needs for a path.
func get_walk_s(path: PackedVector3Array) -> float:
	var sum := 0.0
	for i: int in range(1, path.size()):
		sum += path[i - 1].distance_to(path[i])
	return sum / maxf(_agent.walk_speed, 0.01)


## Begins to follow a path from [method find_path].
func follow(path: PackedVector3Array) -> void:
	_detours = 0
	_take(path)


## Returns the end of the path that the body follows, or where it stands.
func get_end() -> Vector3:
	return _path[-1] if not _path.is_empty() else _space.get_point()


## Returns the point that the next step leads to. [method move_to] takes the step.
func get_next_point(delta: float) -> Vector3:
	var left := _agent.walk_speed * delta
	var here := _space.get_point()
	_next_index = _index
	while _next_index < _path.size() and left > 0.0:
		var next := _path[_next_index]
		var way := Vector3(next.x - here.x, 0.0, next.z - here.z)
		var far := way.length()
		if far > _same:
			heading = way / far
		if far > left:
			var point := here.lerp(next, left / far)
			if _space.is_3d:
				point.y = _get_height(_next_index, far - left)
			return point
		here = next
		left -= far
		_next_index += 1
	return here


## Moves the body to the point from [method get_next_point], or as near as obstacles allow.
func move_to(next: Vector3, delta: float) -> Step:
	if not _space.is_physical():
		_space.put(next)
		_index = _next_index
	else:
		_end_passing()
		_space.slide(next, delta)
		if NpcSpace.flat_distance(_space.get_point(), next) <= _same:
			_index = _next_index
		else:
			_pass_corners()
	return Step.THERE if _index >= _path.size() else _watch(delta)


## Stops the body.
func stop() -> void:
	_path = PackedVector3Array()
	_found_path = PackedVector3Array()
	_index = 0
	_space.halt()


func _take(found: PackedVector3Array) -> void:
	var path := NpcClearance.clear(_space, found, _agent.reach_tolerance)
	_found_path = found
	_path = path
	_left_from.resize(path.size())
	var sum := 0.0
	for i: int in range(path.size() - 1, -1, -1):
		sum += NpcSpace.flat_distance(path[i], path[i + 1]) if i + 1 < path.size() else 0.0
		_left_from[i] = sum
	_index = 0
	_least_left = INF
	_standing_s = 0.0


## Returns the height of the path at a distance before one of its points. A body itself may be higher or lower.
func _get_height(index: int, before: float) -> float:
	var to := _path[index]
	var from := _path[maxi(index - 1, 0)]
	return lerpf(to.y, from.y, clampf(before / maxf(NpcSpace.flat_distance(from, to), SAME_M), 0.0, 1.0))


## Skips corners of the path that a sliding body has passed: it is near them, or fits towards the next corner.
func _pass_corners() -> void:
	while _index < _path.size() - 1:
		var here := _space.get_point()
		var far := NpcSpace.flat_distance(here, _path[_index])
		var on := _flatten(_path[_index + 1] - here).limit_length(WIDE_CORNER_M * _space.scale)
		if far > WIDE_CORNER_M * _space.scale or far > CORNER_M * _space.scale and not _space.fits(here, on):
			return
		_index += 1


## Measures how long the body has made no progress.
func _watch(delta: float) -> Step:
	var left := NpcSpace.flat_distance(_space.get_point(), _path[_index]) + _left_from[_index]
	if left < _least_left - _agent.walk_speed * MIN_PROGRESS_S:
		_least_left = left
		_standing_s = 0.0
		if left < _left_when_blocked - _agent.walk_speed * PATIENCE_S:
			_detours = 0
		return Step.WALKING
	_standing_s += delta
	if _standing_s >= LET_PASS_S:
		_let_pass()
	var goal := _path[_path.size() - 1]
	if _standing_s >= NEAR_ENOUGH_S and NpcSpace.is_near(_space.get_point(), goal, _agent.reach_tolerance):
		return Step.THERE
	if _standing_s < PATIENCE_S:
		return Step.WALKING
	_left_when_blocked = left
	return Step.THERE if _is_taken(goal) else _try_another_path(goal)


func _try_another_path(goal: Vector3) -> Step:
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


func _is_rest_of_path(path: PackedVector3Array) -> bool:
	var passed := _found_path.size() - path.size()
	if passed < 0:
		return false
	for i: int in range(1, path.size()):
		if NpcSpace.flat_distance(path[i], _found_path[passed + i]) > _same * 2.0:
			return false
	return true


## Finds a detour around an obstacle that the navigation map does not have: to the side, past it, and on to the target.
func _find_detour(goal: Vector3) -> PackedVector3Array:
	var here := _space.get_point()
	var left := Vector3(heading.z, 0.0, -heading.x) * _space.scale
	var ahead := heading * _space.scale
	for far: float in SIDESTEPS_M:
		for side: Vector3 in [left * far, left * -far] as Array[Vector3]:
			if not _is_on_map(here + side) or not _space.fits(here, side):
				continue
			for on: float in DETOUR_LENGTHS_M:
				var beyond := here + side + ahead * on
				if _is_on_map(beyond) and _space.fits(here + side, ahead * on):
					var path := _search_path(beyond, goal)
					if not path.is_empty():
						return PackedVector3Array([here, here + side]) + path
	return PackedVector3Array()


## Returns [code]true[/code] if the body touches somebody who stands on the target. Then it has arrived beside them.
func _is_taken(goal: Vector3) -> bool:
	for touched: Node in _space.get_touched():
		var other := NpcAgents.of_body(touched)
		if other != null and other.doing != NpcAgent.Doing.WALKING:
			if NpcSpace.is_near(other.get_point(), goal, _agent.reach_tolerance * 2.0):
				return true
	return false


## Lets the body walk through others that walk: two who meet in a door would stand there for ever.
func _let_pass() -> void:
	for touched: Node in _space.get_touched():
		var other := NpcAgents.of_body(touched)
		if other != null and other.doing == NpcAgent.Doing.WALKING and touched not in _passing:
			_space.set_solid_for(touched, false)
			_passing.append(touched)


## Makes the body solid again for those whom it has passed.
func _end_passing() -> void:
	for i: int in range(_passing.size() - 1, -1, -1):
		var body: Variant = _passing[i]
		if is_instance_valid(body):
			var other := body as Node
			if NpcSpace.flat_distance(NpcSpace.point_of(other), _space.get_point()) < _space.get_radius() * PASSED_WIDTHS:
				continue
			_space.set_solid_for(other, true)
		_passing.remove_at(i)


func _is_on_map(point: Vector3) -> bool:
	return NpcSpace.is_near(_space.get_nearest_on_map(point), point, OFF_MAP_M * _space.scale)


func _search_path(from: Vector3, goal: Vector3) -> PackedVector3Array:
	return _space.find_path(_space.get_map(), from, goal, _agent.reach_tolerance)


static func _flatten(motion: Vector3) -> Vector3:
	return Vector3(motion.x, 0.0, motion.z)
