class_name DemoPortrait
extends Control
## A person's head and shoulders, large, in a frame of their colour.

const SIZE := Vector2(132, 150)
const LARGER := 5.6

var _colours: Array[Color] = []
var _figure: DemoFigure
var _style := StyleBoxFlat.new()


func _ready() -> void:
	custom_minimum_size = SIZE
	clip_contents = true
	mouse_filter = Control.MOUSE_FILTER_IGNORE
	_style.set_corner_radius_all(8)
	_style.set_border_width_all(3)


## Shows another person: the colours of coat, hair and skin, and the looks.
func turn_to(colours: Array[Color], looks: DemoLooks) -> void:
	if colours == _colours:
		return
	_colours = colours
	if _figure != null:
		_figure.queue_free()
	_figure = DemoFigure.new()
	_figure.colours = colours
	_figure.looks = looks
	_figure.scale = Vector2.ONE * LARGER
	_figure.position = Vector2(SIZE.x / 2.0, SIZE.y + 6.0)
	add_child(_figure)
	_figure.look(Vector2.DOWN)
	_style.bg_color = colours[0].lerp(DemoPalette.PAPER, 0.62)
	_style.border_color = colours[0]
	queue_redraw()


func _draw() -> void:
	if not _colours.is_empty():
		draw_style_box(_style, Rect2(Vector2.ZERO, size))
