class_name NpcSpace3D
extends NpcSpace
## A body in a 3D game: a [Node3D], which physics moves if it is a [CharacterBody3D]. One unit is one metre.
##
## The point of a [CharacterBody3D] is at its feet, the lowest point of its collision shapes. Of any other body it is
## the node's position.

## How far a body may be below the navigation map, in metres. Below that it has fallen through the floor.
const FALL_M := 1.0
## How high a body steps over things when it looks for a detour, in metres: the floor must not count as an obstacle.
const STEP_M := 0.1
## How fast a body turns, in radians per second.
const TURN_SPEED := 8.0

var _body: Node3D
var _character: CharacterBody3D
## Known once it was asked for; before that it is negative.
var _radius: float = -1.0
## Height of the body's position above its feet.
var _feet: float = 0.0
## Height of the body above the navigation map, which it keeps while it walks. Gravity does that for who has it.
var _lift: float = 0.0
var _is_lift_known: bool = false
var _has_fallen: bool = false
var _has_warned: bool = false


func _init(body: Node3D) -> void:
	_body = body
	_character = body as CharacterBody3D
	is_3d = true
	scale = 1.0
	usual_speed = 1.4
	usual_reach = 1.0
	_feet = _get_height_above_feet(_character)
	front = flat_direction(body.global_basis.z, Vector3.ZERO)


## See [method NpcSpace.get_body].
func get_body() -> Node:
	return _body


## See [method NpcSpace.get_point].
func get_point() -> Vector3:
	return _body.global_position - Vector3(0.0, _feet, 0.0)


## See [method NpcSpace.put].
func put(point: Vector3) -> void:
	_body.global_position = point + Vector3(0.0, _feet, 0.0)


## See [method NpcSpace.has].
func has(node: Node) -> bool:
	return node is Node3D


## See [method NpcSpace.get_world].
func get_world() -> Resource:
	return _body.get_world_3d()


## See [method NpcSpace.get_map].
func get_map() -> RID:
	return _body.get_world_3d().navigation_map


## See [method NpcSpace.get_map_version].
func get_map_version() -> int:
	return NavigationServer3D.map_get_iteration_id(get_map())


## See [method NpcSpace.can_navigate].
func can_navigate() -> bool:
	# As in 2D: without such an owner the map is empty, or that of a scene that was left.
	if not _is_map_current() or get_map_version() == 0:
		return false
	var owner := NavigationServer3D.map_get_closest_point_owner(get_map(), get_point())
	if not owner.is_valid() or owner not in NavigationServer3D.map_get_regions(get_map()):
		return false
	if not _is_lift_known:
		_is_lift_known = true
		var height := get_point().y - get_nearest_on_map(get_point()).y
		_lift = height if not _falls() and absf(height) <= LEVEL_M else 0.0
	return true


## See [method NpcSpace.get_nearest_on_map].
func get_nearest_on_map(point: Vector3) -> Vector3:
	return NavigationServer3D.map_get_closest_point(get_map(), point)


## See [method NpcSpace.find_path].
func find_path(map: RID, from: Vector3, goal: Vector3, tolerance: float, mid_edges := false) -> PackedVector3Array:
	var query := NavigationPathQueryParameters3D.new()
	query.metadata_flags = NavigationPathQueryParameters3D.PATH_METADATA_INCLUDE_NONE
	query.map = map
	if mid_edges:
		query.path_postprocessing = NavigationPathQueryParameters3D.PATH_POSTPROCESSING_EDGECENTERED
	query.start_position = from
	query.target_position = goal
	var answer := NavigationPathQueryResult3D.new()
	NavigationServer3D.query_path(query, answer)
	var path := answer.path
	if path.is_empty() or not is_near(path[-1], goal, tolerance):
		return PackedVector3Array()
	for i: int in path.size():
		path[i].y += _lift
	return path


## See [method NpcSpace.is_physical].
func is_physical() -> bool:
	return _character != null


## See [method NpcSpace.slide].
func slide(next: Vector3, delta: float) -> void:
	var wanted := (next - get_point()) / delta
	if _falls() and not _has_fallen:
		wanted.y = 0.0 if _character.is_on_floor() else _character.velocity.y + _character.get_gravity().y * delta
	_character.velocity = wanted
	_character.move_and_slide()
	if _falls() and get_point().y < next.y - FALL_M:
		_climb_back(next.y)


## See [method NpcSpace.halt].
func halt() -> void:
	_has_fallen = false
	if _character != null:
		_character.velocity = Vector3.ZERO


## See [method NpcSpace.get_touched].
func get_touched() -> Array[Node]:
	var found: Array[Node] = []
	if _character != null:
		for i: int in _character.get_slide_collision_count():
			found.append(_character.get_slide_collision(i).get_collider() as Node)
	return found


## See [method NpcSpace.fits].
func fits(from: Vector3, motion: Vector3) -> bool:
	var solid := _body as PhysicsBody3D
	if solid == null:
		return true
	var there := solid.global_transform
	there.origin = from + Vector3(0.0, _feet + STEP_M, 0.0)
	return not solid.test_move(there, motion)


## See [method NpcSpace.get_radius].
func get_radius() -> float:
	if _radius < 0.0:
		_radius = 0.0
		for child: Node in _body.get_children():
			var holder := child as CollisionShape3D
			if holder != null and holder.shape != null and not holder.disabled:
				_radius = maxf(_radius, _get_half_width(holder.shape))
	return _radius


## See [method NpcSpace.has_room_at].
func has_room_at(point: Vector3) -> bool:
	var solid := _body as PhysicsBody3D
	if solid == null:
		return true
	var there := solid.global_transform
	there.origin = point + Vector3(0.0, _feet + STEP_M, 0.0)
	return not solid.test_move(there, Vector3.ZERO, null, 0.001, true)


## See [method NpcSpace.set_solid_for].
func set_solid_for(other: Node, is_solid: bool) -> void:
	var solid := _body as PhysicsBody3D
	if solid != null and is_solid:
		solid.remove_collision_exception_with(other)
	elif solid != null:
		solid.add_collision_exception_with(other)


## See [method NpcSpace.turn].
func turn(heading: Vector3, delta: float) -> void:
	var front := -_body.global_basis.z
	var angle := Vector2(heading.x, heading.z).angle_to(Vector2(front.x, front.z))
	if not heading.is_zero_approx() and not is_zero_approx(angle):
		_body.global_rotate(Vector3.UP, clampf(angle, -TURN_SPEED * delta, TURN_SPEED * delta))


## Returns [code]true[/code] if gravity keeps the body on the ground.
func _falls() -> bool:
	return _character != null and _character.motion_mode == CharacterBody3D.MOTION_MODE_GROUNDED


## A scene may have a navigation map where no floor carries a body. There it walks on without gravity.
func _climb_back(height: float) -> void:
	var point := get_point()
	put(Vector3(point.x, height, point.z))
	_has_fallen = true
	if not _has_warned:
		_has_warned = true
		push_warning("%s falls through the floor at %s. Add a StaticBody3D under the navigation map there." % [_body.get_path(), point])


static func _get_height_above_feet(body: CharacterBody3D) -> float:
	var lowest := INF
	for child: Node in body.get_children() if body != null else [] as Array[Node]:
		var holder := child as CollisionShape3D
		if holder != null and holder.shape != null and not holder.disabled:
			lowest = minf(lowest, holder.position.y - _get_half_height(holder.shape))
	return -lowest * body.global_basis.get_scale().y if lowest < INF else 0.0


static func _get_half_height(shape: Shape3D) -> float:
	if shape is CapsuleShape3D:
		return (shape as CapsuleShape3D).height / 2.0
	if shape is CylinderShape3D:
		return (shape as CylinderShape3D).height / 2.0
	if shape is BoxShape3D:
		return (shape as BoxShape3D).size.y / 2.0
	return (shape as SphereShape3D).radius if shape is SphereShape3D else 0.0


static func _get_half_width(shape: Shape3D) -> float:
	if shape is CapsuleShape3D:
		return (shape as CapsuleShape3D).radius
	if shape is CylinderShape3D:
		return (shape as CylinderShape3D).radius
	if shape is BoxShape3D:
		return Vector2((shape as BoxShape3D).size.x, (shape as BoxShape3D).size.z).length() / 2.0
	return (shape as SphereShape3D).radius if shape is SphereShape3D else 0.0
