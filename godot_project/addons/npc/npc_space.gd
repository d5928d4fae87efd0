class_name NpcSpace
extends RefCounted
## The space in which a body moves: [NpcSpace2D] or [NpcSpace3D]. The rest of the addon knows no difference.
##
## It calculates with points. A point is a [Vector3]: in 3D a global position, and of a 2D position (x, y) the point
## (x, 0, y), as if the game lay on the ground. Lengths are in the game's own units: pixels in 2D, metres in 3D.

## A body stands where it should if it is no further above or below than this many metres: feet, tables and navigation
## maps are never quite at one height. It is less than a storey.
const LEVEL_M := 2.0

## Physics frames after a body enters the tree until Godot's navigation knows which regions of the scene before are gone.
const SYNC_FRAMES := 2

## If [code]true[/code], the space is 3D.
var is_3d: bool
## Units per metre of a body's own size, for the distances that it keeps while it walks.
var scale: float
## The direction in which the body looked at first, as seen from above.
var front := Vector3.BACK
## The walking speed of an agent that sets none, in units per second.
var usual_speed: float
## The [member NpcAgent.reach_tolerance] of an agent that sets none.
var usual_reach: float

var _since_frame: int = Engine.get_physics_frames()


## Returns the space of a body, or [code]null[/code] if it can be nowhere.
static func of(body: Node) -> NpcSpace:
	if body is Node2D:
		return NpcSpace2D.new(body as Node2D)
	return NpcSpace3D.new(body as Node3D) if body is Node3D else null


## Returns the point of a global position, a [Vector2] or [Vector3].
static func to_point(where: Variant) -> Vector3:
	if where is Vector2:
		var flat: Vector2 = where
		return Vector3(flat.x, 0.0, flat.y)
	return where


## Returns the point of a [Node2D] or [Node3D].
static func point_of(node: Node) -> Vector3:
	return (node as Node3D).global_position if node is Node3D else to_point((node as Node2D).global_position)


## Returns the distance between two points as seen from above.
static func flat_distance(from: Vector3, to: Vector3) -> float:
	return Vector2(to.x - from.x, to.z - from.z).length()


## Returns the direction from a point to another as seen from above, as a unit vector; zero if they are the same.
static func flat_direction(from: Vector3, to: Vector3) -> Vector3:
	return Vector3(to.x - from.x, 0.0, to.z - from.z).normalized()


## Returns [code]true[/code] if a point is within a distance of another as seen from above, and on the same level.
static func is_near(point: Vector3, goal: Vector3, distance: float) -> bool:
	return absf(point.y - goal.y) <= LEVEL_M and flat_distance(point, goal) <= distance


## Returns the body.
func get_body() -> Node:
	return null


## Returns the body's point: where it stands.
func get_point() -> Vector3:
	return Vector3.ZERO


## Puts the body on a point.
func put(_point: Vector3) -> void:
	pass


## Returns [code]true[/code] if a node is in such a space, too.
func has(_node: Node) -> bool:
	return false


## Returns the world of the body. Whoever holds it keeps the navigation map alive.
func get_world() -> Resource:
	return null


## Returns the navigation map.
func get_map() -> RID:
	return RID()


## Returns the version of the navigation map; 0 while there is none.
func get_map_version() -> int:
	return 0


## Returns [code]true[/code] if there is a navigation map with something in it.
func can_navigate() -> bool:
	return false


## Returns the point of the navigation map that is nearest to a point.
func get_nearest_on_map(_point: Vector3) -> Vector3:
	return Vector3.ZERO


## Returns the path between two points of a map. Returns an empty path if it ends further than [param tolerance] from
## [param goal]. With [param mid_edges] the path is not the shortest, but crosses each edge in its middle. It may run on any
## thread.
func find_path(_map: RID, _from: Vector3, _goal: Vector3, _tolerance: float, _mid_edges := false) -> PackedVector3Array:
	return PackedVector3Array()


## Returns [code]true[/code] if physics moves the body, so that obstacles stop it.
func is_physical() -> bool:
	return false


## Moves a physical body towards a point, as far as obstacles allow.
func slide(_next: Vector3, _delta: float) -> void:
	pass


## Stops a physical body.
func halt() -> void:
	pass


## Returns what a physical body touched in its last step.
func get_touched() -> Array[Node]:
	return []


## Returns [code]true[/code] if the body can move from a point without touching anything.
func fits(_from: Vector3, _motion: Vector3) -> bool:
	return true


## Returns the distance from the middle of a physical body to its edge, as seen from above.
func get_radius() -> float:
	return 0.0


## Returns [code]true[/code] if a physical body could stand on a point without touching anything.
func has_room_at(_point: Vector3) -> bool:
	return true


## Sets whether the body stops at another physical body.
func set_solid_for(_other: Node, _is_solid: bool) -> void:
	pass


## Turns the body a little towards a direction.
func turn(_heading: Vector3, _delta: float) -> void:
	pass


func _is_map_current() -> bool:
	return Engine.get_physics_frames() - _since_frame > SYNC_FRAMES
