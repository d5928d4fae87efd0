class_name NpcSpace2D
extends NpcSpace
## A body in a 2D game: a [Node2D], which physics moves if it is a [CharacterBody2D].

## What a body may be nearer to a wall than it is wide before it touches it, in pixels.
const NEARLY := 0.08

var _body: Node2D
var _character: CharacterBody2D
## Known once it was asked for; before that it is negative.
var _radius: float = -1.0


func _init(body: Node2D) -> void:
	_body = body
	_character = body as CharacterBody2D
	is_3d = false
	scale = 32.0
	usual_speed = 80.0
	usual_reach = 12.0


## Returns the position of a point.
static func to_position(point: Vector3) -> Vector2:
	return Vector2(point.x, point.z)


## See [method NpcSpace.get_body].
func get_body() -> Node:
	return _body


## See [method NpcSpace.get_point].
func get_point() -> Vector3:
	var at := _body.global_position
	return Vector3(at.x, 0.0, at.y)


## See [method NpcSpace.put].
func put(point: Vector3) -> void:
	_body.global_position = Vector2(point.x, point.z)


## See [method NpcSpace.has].
func has(node: Node) -> bool:
	return node is Node2D


## See [method NpcSpace.get_world].
func get_world() -> Resource:
	return _body.get_world_2d()


## See [method NpcSpace.get_map].
func get_map() -> RID:
	return _body.get_world_2d().navigation_map


## See [method NpcSpace.get_map_version].
func get_map_version() -> int:
	return NavigationServer2D.map_get_iteration_id(get_map())


## See [method NpcSpace.can_navigate].
func can_navigate() -> bool:
	# Without an owner at the closest point the map is still empty. If the owner is gone, it is the map of a scene that was left.
	if not _is_map_current() or get_map_version() == 0:
		return false
	var owner := NavigationServer2D.map_get_closest_point_owner(get_map(), _body.global_position)
	return owner.is_valid() and owner in NavigationServer2D.map_get_regions(get_map())


## See [method NpcSpace.get_nearest_on_map].
func get_nearest_on_map(point: Vector3) -> Vector3:
	return to_point(NavigationServer2D.map_get_closest_point(get_map(), to_position(point)))


## See [method NpcSpace.find_path].
func find_path(map: RID, from: Vector3, goal: Vector3, tolerance: float, mid_edges := false) -> PackedVector3Array:
	var query := NavigationPathQueryParameters2D.new()
	query.metadata_flags = NavigationPathQueryParameters2D.PATH_METADATA_INCLUDE_NONE
	query.map = map
	if mid_edges:
		query.path_postprocessing = NavigationPathQueryParameters2D.PATH_POSTPROCESSING_EDGECENTERED
	query.start_position = to_position(from)
	query.target_position = to_position(goal)
	var answer := NavigationPathQueryResult2D.new()
	NavigationServer2D.query_path(query, answer)
	var path := PackedVector3Array()
	for position: Vector2 in answer.path:
		path.append(to_point(position))
	return path if not path.is_empty() and is_near(path[-1], goal, tolerance) else PackedVector3Array()


## See [method NpcSpace.is_physical].
func is_physical() -> bool:
	return _character != null


## See [method NpcSpace.slide].
func slide(next: Vector3, delta: float) -> void:
	_character.velocity = (to_position(next) - _body.global_position) / delta
	_character.move_and_slide()


## See [method NpcSpace.halt].
func halt() -> void:
	if _character != null:
		_character.velocity = Vector2.ZERO


## See [method NpcSpace.get_touched].
func get_touched() -> Array[Node]:
	var found: Array[Node] = []
	if _character != null:
		for i: int in _character.get_slide_collision_count():
			found.append(_character.get_slide_collision(i).get_collider() as Node)
	return found


## See [method NpcSpace.fits].
func fits(from: Vector3, motion: Vector3) -> bool:
	var solid := _body as PhysicsBody2D
	if solid == null:
		return true
	var there := solid.global_transform
	there.origin = to_position(from)
	return not solid.test_move(there, to_position(motion))


## See [method NpcSpace.get_radius].
func get_radius() -> float:
	if _radius < 0.0:
		_radius = 0.0
		for child: Node in _body.get_children():
			var holder := child as CollisionShape2D
			if holder != null and holder.shape != null and not holder.disabled:
				var half := holder.shape.get_rect().size * holder.global_transform.get_scale().abs() / 2.0
				_radius = maxf(_radius, half.length() if holder.shape is RectangleShape2D else maxf(half.x, half.y))
	return _radius


## See [method NpcSpace.has_room_at].
func has_room_at(point: Vector3) -> bool:
	var solid := _body as PhysicsBody2D
	var there := Transform2D(_body.global_rotation, to_position(point))
	return solid == null or not solid.test_move(there, Vector2.ZERO, null, NEARLY, true)


## See [method NpcSpace.set_solid_for].
func set_solid_for(other: Node, is_solid: bool) -> void:
	var solid := _body as PhysicsBody2D
	if solid != null and is_solid:
		solid.remove_collision_exception_with(other)
	elif solid != null:
		solid.add_collision_exception_with(other)
