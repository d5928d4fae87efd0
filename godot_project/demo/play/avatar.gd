class_name DemoAvatar
extends CharacterBody2D
## The player's body. Keys and a pad steer it, a click sends it along a path, and walls stop it. It is in the group
## [constant NpcAgent.PLAYER_GROUP] under the player's name, so the people of the town see it.

## Emitted when a walk to a clicked place is over, because the body is there or was steered away.
signal stopped

const SPEED := 200.0
const RADIUS := 6.0
const NEAR := 5.0
## Seconds without getting ahead, after which a walk ends.
const STUCK_S := 0.6
const ZOOM := 1.7
const LOOK: Array[Color] = [Color("2f6f8f"), Color("6b4226"), Color("efc39d")]

## If [code]false[/code], the body stands still, as in a talk.
var may_walk: bool = true

var _figure := DemoFigure.new()
var _way: PackedVector2Array = []
var _stuck_s: float = 0.0
var _camera := Camera2D.new()


func _init() -> void:
	motion_mode = CharacterBody2D.MOTION_MODE_FLOATING
	z_index = DemoPerson.MIDDLE
	collision_mask = DemoWalls.WALLS | DemoWalls.FURNITURE
	collision_layer = 0
	_figure.colours = LOOK
	add_child(_figure)
	var circle := CircleShape2D.new()
	circle.radius = RADIUS
	var shape := CollisionShape2D.new()
	shape.shape = circle
	add_child(shape)
	_camera.zoom = Vector2.ONE * ZOOM
	_camera.position_smoothing_enabled = true
	_camera.position_smoothing_speed = 7.0
	_camera.process_callback = Camera2D.CAMERA2D_PROCESS_PHYSICS
	add_child(_camera)


func _ready() -> void:
	add_to_group(NpcAgent.PLAYER_GROUP)


## Keeps the camera inside an area of the world.
func set_bounds(area: Rect2) -> void:
	_camera.limit_left = int(area.position.x)
	_camera.limit_top = int(area.position.y)
	_camera.limit_right = int(area.end.x)
	_camera.limit_bottom = int(area.end.y)


## Lets the camera look further down, so that a box at the bottom of the window covers nobody who talks.
func look_below(pixels: float) -> void:
	_camera.offset.y = pixels


## Turns to a position of the world.
func face(at: Vector2) -> void:
	_figure.look(global_position.direction_to(at))


func get_zoom() -> float:
	return _camera.zoom.x


## Puts the body somewhere else at once, with the camera.
func put(at: Vector2) -> void:
	global_position = at
	_end_way()
	_camera.reset_smoothing.call_deferred()


## Walks to a position of the world, around what is in the way.
func walk_to(at: Vector2) -> void:
	_way = NavigationServer2D.map_get_path(get_world_2d().navigation_map, global_position, at, true)
	_stuck_s = 0.0


func is_walking_to() -> bool:
	return not _way.is_empty()


func stop() -> void:
	if not _way.is_empty():
		_end_way()


func _physics_process(delta: float) -> void:
	var steer := DemoControls.get_steering() if may_walk else Vector2.ZERO
	if steer != Vector2.ZERO or not may_walk:
		stop()
	velocity = steer * SPEED if steer != Vector2.ZERO else _follow_way(delta)
	if velocity == Vector2.ZERO:
		_figure.stand()
		return
	var before := global_position
	move_and_slide()
	_figure.look(velocity.normalized())
	_figure.walk(delta)
	_stuck_s = _stuck_s + delta if global_position.distance_to(before) < SPEED * delta * 0.2 else 0.0
	if _stuck_s > STUCK_S:
		stop()


func _follow_way(delta: float) -> Vector2:
	while not _way.is_empty() and global_position.distance_to(_way[0]) < NEAR:
		_way.remove_at(0)
		if _way.is_empty():
			_end_way()
	if _way.is_empty():
		return Vector2.ZERO
	var to := _way[0] - global_position
	return to.normalized() * minf(SPEED, to.length() / delta)


func _end_way() -> void:
	_way.clear()
	_stuck_s = 0.0
	stopped.emit()


## The evening dims the player as it does the people.
func dim_like(other: CanvasItem) -> void:
	modulate = other.modulate
