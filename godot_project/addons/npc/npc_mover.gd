class_name NpcMover
extends RefCounted
## The legs of an NpcAgent: finds ways, walks them, and gets round what is in the way.
##
## All times are seconds of the game's own frames (delta), never of the minds' clock.

enum Step { WALKING, THERE, BLOCKED }

## Seconds without getting nearer after which another way is tried.
const PATIENCE_S := 2.0
## Other ways that are tried before the body gives up.
const OTHER_WAYS := 2
## Coming nearer by less than what it walks in this time, in seconds, counts as standing still.
const LEAST_PROGRESS_S := 0.1
## Seconds after which standing within the agent's reach_tolerance of the goal counts as being there.
const NEAR_ENOUGH_S := 0.25
## Pixels from a corner of its way at which a body that slides along something goes on to the next one.
const CORNER := 8.0
## Pixels, about a body, within which a corner is left out that the body is too wide for.
const WIDE_CORNER := 32.0
## Pixels to the side at which a way round is looked for.
const SIDESTEPS: Array[float] = [32.0, 64.0, 96.0, 128.0, 192.0, 256.0]
## Pixels that a way round leads on beside the obstacle: as far as there is room.
const BEYOND: Array[float] = [192.0, 96.0, 64.0]
## Ways that are kept at once: those of two questions.
const MOST_FOUND := 32
## Pixels that a point of a way round may lie off the navigation map.
const OFF_MAP := 4.0

## Where the body looks, as a unit vector.
var heading := Vector2.DOWN

var _agent: NpcAgent
var _body: Node2D
## The body, when it is moved by physics; else null.
var _character: CharacterBody2D
var _path := PackedVector2Array()
## For each point of the path, how far it is from there to the end.
var _rest := PackedFloat32Array()
var _at: int = 0
var _next_at: int = 0
var _found: Dictionary[Vector2, PackedVector2Array] = {}
var _found_from := Vector2.ZERO
var _found_on: int = 0
var _least: float = INF
var _standing_s: float = 0.0
var _other_ways: int = 0
var _left_when_blocked: float = 0.0


func _init(agent: NpcAgent, body: Node2D) -> void:
	_agent = agent
	_body = body
	_character = body as CharacterBody2D


## True when Godot's navigation knows this map. A map answers only some frames after its regions were added.
func can_navigate() -> bool:
	var map := _map()
	if NavigationServer2D.map_get_iteration_id(map) == 0:
		return false
	# A point that belongs to nobody means that the map is still empty.
	return NavigationServer2D.map_get_closest_point_owner(map, _body.global_position).is_valid()


## The way from the body to a point; nothing when it does not lead there. While the body and the map stay as they are, it is
## looked for once: first the mind asks how far it is, then the body goes.
func way_to(goal: Vector2) -> PackedVector2Array:
	var from := _body.global_position
	var map_is := NavigationServer2D.map_get_iteration_id(_map())
	if map_is != _found_on or from.distance_squared_to(_found_from) > 1.0 or _found.size() >= MOST_FOUND:
		_found.clear()
		_found_on = map_is
		_found_from = from
	if not _found.has(goal):
		_found[goal] = _way(from, goal)
	return _found[goal]


## Ways from a point that were looked for elsewhere.
func know(from: Vector2, paths: Dictionary[Vector2, PackedVector2Array]) -> void:
	_found = paths.duplicate()
	_found_from = from
	_found_on = NavigationServer2D.map_get_iteration_id(_map())


## Seconds that a way takes.
func walk_s(path: PackedVector2Array) -> float:
	var sum := 0.0
	for i: int in range(1, path.size()):
		sum += path[i - 1].distance_to(path[i])
	return sum / maxf(_agent.walk_speed, 0.01)


## Sets out on a way that was found with way_to().
func follow(path: PackedVector2Array) -> void:
	_other_ways = 0
	_take(path)


## Where the next step leads; move_to() takes it.
func next_point(delta: float) -> Vector2:
	var left := _agent.walk_speed * delta
	var here := _body.global_position
	_next_at = _at
	while _next_at < _path.size() and left > 0.0:
		var next := _path[_next_at]
		var far := here.distance_to(next)
		if far > 0.5:
			heading = (next - here) / far
		if far > left:
			return here.move_toward(next, left)
		here = next
		left -= far
		_next_at += 1
	return here


## Goes to the point that next_point() named, or as near as what stands there lets it.
func move_to(next: Vector2, delta: float) -> Step:
	if _character == null:
		_body.global_position = next
		_at = _next_at
	else:
		_character.velocity = (next - _body.global_position) / delta
		_character.move_and_slide()
		if _body.global_position.distance_to(next) <= 0.5:
			_at = _next_at
		else:
			_pass_corners()
	return Step.THERE if _at >= _path.size() else _watch(delta)


## Lets the body stand.
func stop() -> void:
	_path = PackedVector2Array()
	_at = 0
	if _character != null:
		_character.velocity = Vector2.ZERO


func _take(path: PackedVector2Array) -> void:
	_path = path
	_rest.resize(path.size())
	var sum := 0.0
	for i: int in range(path.size() - 1, -1, -1):
		sum += path[i].distance_to(path[i + 1]) if i + 1 < path.size() else 0.0
		_rest[i] = sum
	_at = 0
	_least = INF
	_standing_s = 0.0


## A body that slid along something has passed a corner when it is near it, or fits on towards the next one.
func _pass_corners() -> void:
	while _at < _path.size() - 1:
		var here := _body.global_position
		var far := here.distance_to(_path[_at])
		var on := (_path[_at + 1] - here).limit_length(WIDE_CORNER)
		if far > WIDE_CORNER or far > CORNER and not _fits(here, on):
			return
		_at += 1


## Counts how long the body has not come nearer to its goal.
func _watch(delta: float) -> Step:
	var left := _body.global_position.distance_to(_path[_at]) + _rest[_at]
	if left < _least - _agent.walk_speed * LEAST_PROGRESS_S:
		_least = left
		_standing_s = 0.0
		if left < _left_when_blocked - _agent.walk_speed * PATIENCE_S:
			_other_ways = 0
		return Step.WALKING
	_standing_s += delta
	var goal := _path[_path.size() - 1]
	if _standing_s >= NEAR_ENOUGH_S and _body.global_position.distance_to(goal) <= _agent.reach_tolerance:
		return Step.THERE
	if _standing_s < PATIENCE_S:
		return Step.WALKING
	_left_when_blocked = left
	return Step.THERE if _is_taken(goal) else _try_another_way(goal)


func _try_another_way(goal: Vector2) -> Step:
	_other_ways += 1
	if _other_ways > OTHER_WAYS:
		return Step.BLOCKED
	var path := way_to(goal)
	if path.is_empty() or _is_rest_of_way(path):
		var around := _way_round(goal)
		if around.is_empty():
			# The body pushes on for a while, once: what stands there may go away.
			_other_ways = OTHER_WAYS
			around = _path.slice(_at)
		path = around
	_take(path)
	return Step.WALKING


func _is_rest_of_way(path: PackedVector2Array) -> bool:
	if path.size() - 1 != _path.size() - _at:
		return false
	for i: int in range(1, path.size()):
		if path[i].distance_to(_path[_at + i - 1]) > 1.0:
			return false
	return true


## A way past something that the navigation map does not know: to the side, on beside it, and from there to the goal.
func _way_round(goal: Vector2) -> PackedVector2Array:
	var here := _body.global_position
	for far: float in SIDESTEPS:
		for side: Vector2 in [heading.orthogonal() * far, heading.orthogonal() * -far] as Array[Vector2]:
			if not _is_on_map(here + side) or not _fits(here, side):
				continue
			for on: float in BEYOND:
				var beyond := here + side + heading * on
				if _is_on_map(beyond) and _fits(here + side, heading * on):
					var path := _way(beyond, goal)
					if not path.is_empty():
						return PackedVector2Array([here, here + side]) + path
	return PackedVector2Array()


## True when somebody stands on the goal whom the body touches: beside them is there.
func _is_taken(goal: Vector2) -> bool:
	if _character == null:
		return false
	for i: int in _character.get_slide_collision_count():
		var other := NpcPeople.of_body(_character.get_slide_collision(i).get_collider() as Node2D)
		if other != null and other.doing != NpcAgent.Doing.WALKING:
			if other.get_body_position().distance_to(goal) <= _agent.reach_tolerance * 2.0:
				return true
	return false


## Whether the body can be moved from a point without touching anything.
func _fits(from: Vector2, motion: Vector2) -> bool:
	var solid := _body as PhysicsBody2D
	if solid == null:
		return true
	var there := solid.global_transform
	there.origin = from
	return not solid.test_move(there, motion)


func _is_on_map(point: Vector2) -> bool:
	return NavigationServer2D.map_get_closest_point(_map(), point).distance_to(point) <= OFF_MAP


func _way(from: Vector2, goal: Vector2) -> PackedVector2Array:
	return NpcWaySearch.find(_map(), from, goal, _agent.reach_tolerance)


func _map() -> RID:
	return _body.get_world_2d().navigation_map
