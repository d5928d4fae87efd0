@tool
class_name DemoFigure
extends Node2D
## A person's figure. Its parts are drawn once, and walking only moves them. The head is drawn again when it turns.

## Emitted at each step of somebody who walks.
signal stepped

## The group of all figures.
const GROUP := &"demo_figures"
const STEPS_A_SECOND := 12.0
## The number of directions for the head.
const TURNS := 8

## Coat, hair and skin.
var colours: Array[Color] = []
## Hair, hat, clothes and height.
var looks := DemoLooks.of("")

var _legs: Array[Node2D] = []
var _arms: Array[Node2D] = []
var _trunk: Node2D
var _head: Node2D
var _steps: float = 0.0
var _work: float = 0.0
var _look := Vector2.DOWN
var _turn: int = -1


func _ready() -> void:
	add_to_group(GROUP)
	add_part(self, Vector2(1, 6), _draw_shadow)
	for x: float in [-2.8, 2.8] as Array[float]:
		_legs.append(add_part(self, Vector2(x, 0), _draw_leg))
	_trunk = add_part(self, Vector2.ZERO, _draw_trunk)
	_trunk.scale.y = looks.height
	for x: float in [-6.0, 6.0] as Array[float]:
		_arms.append(add_part(_trunk, Vector2(x, -8), _draw_arm.bind(Vector2(x * 0.3, 7.5))))
	_head = add_part(_trunk, Vector2(0, -15), _draw_head)


## Adds a node that draws something once.
static func add_part(under: Node2D, at: Vector2, drawn: Callable) -> Node2D:
	var node := Node2D.new()
	node.position = at
	node.draw.connect(func() -> void: drawn.call(node))
	under.add_child(node)
	return node


## Adds a node that a [DemoBrush] draws once.
static func _brushed(on: Node2D, paint: Callable) -> void:
	var brush := DemoBrush.for_scale(on.global_scale.x)
	paint.call(brush)
	brush.flush(on)


func walk(delta: float) -> void:
	var before := floori(_steps / PI)
	_steps += delta * STEPS_A_SECOND
	_work = 0.0
	_swing()
	if floori(_steps / PI) != before:
		stepped.emit()


func stand() -> void:
	if _steps > 0.0 or _work > 0.0:
		_steps = 0.0
		_work = 0.0
		_swing()


## Moves the hands, as somebody does who works or talks.
func work(delta: float) -> void:
	_steps = 0.0
	_work += delta
	var beat := sin(_work * 7.0) * (1.0 if fmod(_work, 3.2) < 2.2 else 0.0)
	_trunk.position.y = 0.0
	for leg: Node2D in _legs:
		leg.rotation = 0.0
	_arms[0].rotation = -0.35 - beat * 0.35
	_arms[1].rotation = 0.35 - beat * 0.35


func look(heading: Vector2) -> void:
	var turn := posmod(roundi(heading.angle() / TAU * TURNS), TURNS)
	if turn != _turn:
		_turn = turn
		_look = Vector2.from_angle(turn * TAU / TURNS) * 2.2
		_head.queue_redraw()


func _swing() -> void:
	var swing := sin(_steps)
	_trunk.position.y = -absf(swing) * 1.6
	for i: int in 2:
		var side := 1.0 if i == 0 else -1.0
		_legs[i].rotation = -swing * side * (0.25 if looks.has_skirt() else 0.45)
		_arms[i].rotation = swing * side * 0.3


func _draw_shadow(on: Node2D) -> void:
	_brushed(on, func(brush: DemoBrush) -> void: brush.glow(Vector2.ZERO, 11.0, Color(0, 0, 0, 0.42), 0.42))


func _draw_leg(on: Node2D) -> void:
	var paint := func(brush: DemoBrush) -> void:
		brush.line(Vector2.ZERO, Vector2(0, 6), 4.0, DemoPalette.TROUSERS)
		brush.disc(Vector2(0, 6.4), 2.4, DemoPalette.INK, 0.7)
	_brushed(on, paint)


func _draw_arm(on: Node2D, to: Vector2) -> void:
	var sleeve := DemoPalette.PAPER if looks.clothes in ["vest", "apron"] else colours[0].darkened(0.12)
	var paint := func(brush: DemoBrush) -> void:
		brush.line(Vector2.ZERO, to, 4.4, colours[0].darkened(0.4))
		brush.line(Vector2.ZERO, to, 3.2, sleeve.darkened(0.06))
		brush.disc(to + Vector2(0, 0.6), 1.7, colours[2])
	_brushed(on, paint)


func _draw_trunk(on: Node2D) -> void:
	_brushed(on, _paint_trunk)


func _paint_trunk(brush: DemoBrush) -> void:
	var coat: Color = colours[0]
	var low := 5.5 if looks.has_skirt() else 2.5
	var wide := 8.4 if looks.has_skirt() else 6.6
	var edge := 1.1
	brush.shape(
		[Vector2(-wide - edge, low + edge), Vector2(-5.2 - edge, -11), Vector2(5.2 + edge, -11), Vector2(wide + edge, low + edge)],
		coat.darkened(0.42)
	)
	brush.shape([Vector2(-wide, low), Vector2(-5.2, -10), Vector2(5.2, -10), Vector2(wide, low)], coat)
	brush.shape([Vector2(1.5, low), Vector2(1.5, -10), Vector2(5.2, -10), Vector2(wide, low)], coat.darkened(0.1))
	match looks.clothes:
		"apron":
			brush.shape([Vector2(-4.4, low), Vector2(-3, -8), Vector2(3, -8), Vector2(4.4, low)], DemoPalette.PAPER)
			brush.line(Vector2(-5.6, -2.5), Vector2(5.6, -2.5), 1.4, DemoPalette.PAPER.darkened(0.15))
		"vest":
			brush.shape([Vector2(-2, low), Vector2(-2.2, -10), Vector2(2.2, -10), Vector2(2, low)], DemoPalette.PAPER)
			brush.line(Vector2(-6.2, 0.5), Vector2(6.2, 0.5), 1.8, DemoPalette.TIMBER)
		"coat":
			brush.line(Vector2(0, -9.5), Vector2(0, low), 1.1, coat.darkened(0.35))
			brush.shape([Vector2(-3.2, -10), Vector2(0, -6), Vector2(3.2, -10)], DemoPalette.PAPER)
		"dress":
			brush.line(Vector2(-5.8, -2.5), Vector2(5.8, -2.5), 2.0, coat.lightened(0.35))
			brush.line(Vector2(-7.6, low - 1.5), Vector2(7.6, low - 1.5), 1.4, coat.lightened(0.35))
		"robe":
			brush.rect(Rect2(-1.2, -10, 2.4, low + 10), DemoPalette.INK)
			brush.rect(Rect2(-2.2, -10, 4.4, 2.4), DemoPalette.PAPER)


func _draw_head(on: Node2D) -> void:
	var brush := DemoBrush.for_scale(on.global_scale.x)
	DemoHead.paint(brush, colours, looks, _look)
	brush.flush(on)
