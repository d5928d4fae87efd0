class_name DemoFigure
extends Node2D
## A person's figure. Its parts are drawn once, and walking only moves them. The head is drawn again when it turns.

const STEPS_A_SECOND := 12.0
## The number of directions for the head.
const TURNS := 8

## Coat, hair and skin.
var colours: Array[Color] = []

var _legs: Array[Node2D] = []
var _arms: Array[Node2D] = []
var _trunk: Node2D
var _head: Node2D
var _steps: float = 0.0
var _look := Vector2.DOWN
var _turn: int = -1


func _ready() -> void:
	var coat: Color = colours[0]
	var shadow := add_part(
		self, Vector2(0, 6), func(on: Node2D) -> void: on.draw_circle(Vector2.ZERO, 9.0, Color(0, 0, 0, 0.28), true, -1.0, true)
	)
	shadow.scale = Vector2(1.0, 0.45)
	for x: float in [-3.0, 3.0] as Array[float]:
		_legs.append(add_part(self, Vector2(x, 0), _draw_limb.bind(Vector2(0, 6), DemoPalette.INK, 3.5)))
	_trunk = add_part(self, Vector2.ZERO, _draw_trunk)
	for x: float in [-6.0, 6.0] as Array[float]:
		_arms.append(add_part(_trunk, Vector2(x, -8), _draw_limb.bind(Vector2(x * 0.42, 7), coat.darkened(0.15), 3.0)))
	_head = add_part(_trunk, Vector2(0, -15), _draw_head)


## Adds a node that draws something once.
static func add_part(under: Node2D, at: Vector2, drawn: Callable) -> Node2D:
	var node := Node2D.new()
	node.position = at
	node.draw.connect(func() -> void: drawn.call(node))
	under.add_child(node)
	return node


func walk(delta: float) -> void:
	_steps += delta * STEPS_A_SECOND
	_swing()


func stand() -> void:
	if _steps > 0.0:
		_steps = 0.0
		_swing()


func look(heading: Vector2) -> void:
	var turn := posmod(roundi(heading.angle() / TAU * TURNS), TURNS)
	if turn != _turn:
		_turn = turn
		_look = Vector2.from_angle(turn * TAU / TURNS) * 2.0
		_head.queue_redraw()


func _swing() -> void:
	var swing := sin(_steps)
	_trunk.position.y = -absf(swing) * 1.6
	for i: int in 2:
		var side := 1.0 if i == 0 else -1.0
		_legs[i].rotation = -swing * side * 0.45
		_arms[i].rotation = swing * side * 0.2


func _draw_limb(on: Node2D, to: Vector2, colour: Color, wide: float) -> void:
	on.draw_line(Vector2.ZERO, to, colour, wide, true)


func _draw_trunk(on: Node2D) -> void:
	var coat: Color = colours[0]
	var shape := PackedVector2Array([Vector2(-7, 2), Vector2(-5.5, -10), Vector2(5.5, -10), Vector2(7, 2)])
	on.draw_colored_polygon(shape, coat)
	shape.append(shape[0])
	on.draw_polyline(shape, coat.darkened(0.35), 1.2, true)


func _draw_head(on: Node2D) -> void:
	var hair: Color = colours[1]
	on.draw_circle(Vector2.ZERO, 6.6, colours[2], true, -1.0, true)
	if _look.y > -1.0:
		on.draw_circle(Vector2(-2.2 + _look.x, 0.8), 0.9, DemoPalette.INK)
		on.draw_circle(Vector2(2.2 + _look.x, 0.8), 0.9, DemoPalette.INK)
		on.draw_arc(Vector2.ZERO, 6.2, PI * 1.02, PI * 1.98, 16, hair, 4.0, true)
	else:
		on.draw_circle(Vector2.ZERO, 6.6, hair, true, -1.0, true)
