class_name DemoLabel
extends Node2D
## A person's name with a picture of what they do, near their head. Its position is in screen pixels.

const SIZE := 14
const HIGH := 22.0

static var _styles: Dictionary[Array, StyleBoxFlat] = {}
## Steps from the place above the head, in widths and heights of a label, the shortest first.
static var _steps: Array[Vector2] = []

var person: DemoPerson
var wide: float = 0.0
## The person's figure on the screen.
var figure := Rect2()

## The distance from its place right above the head.
var _shift := Vector2.ZERO
var _leader: Node2D
var _picture: String = ""
var _font_size: int = SIZE
var _high: float = HIGH
var _chosen: bool = false


func _ready() -> void:
	fit()
	_leader = DemoFigure.add_part(
		self, Vector2.ZERO, func(on: Node2D) -> void: on.draw_rect(Rect2(-0.75, 0, 1.5, 1), Color(person.colours[0], 0.8))
	)
	_leader.show_behind_parent = true
	person.changed.connect(_on_changed)
	_on_changed()


## Takes on the size of texts that the player has chosen.
func fit() -> void:
	_font_size = DemoTextSize.of(SIZE)
	_high = HIGH + _font_size - SIZE
	wide = 36.0 + ThemeDB.fallback_font.get_string_size(person.get_first_name(), HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size).x
	queue_redraw()


## Returns the label's rectangle on the screen for a distance from its place right above the head.
func get_rect(shift: Vector2) -> Rect2:
	return Rect2(_get_head() + shift + Vector2(-wide / 2.0, -_high), Vector2(wide, _high))


## Returns the label's rectangle as it is shown.
func get_shown_rect() -> Rect2:
	return get_rect(_shift)


## Moves to the nearest place that covers none of the rectangles, and stays there as long as it can. The place right above
## the head comes first. Hides if there is no such place, or the person is not seen.
func stand(taken: DemoTaken, window: Rect2) -> void:
	# It is drawn again only if it was hidden.
	visible = (
		person.visible
		and window.intersects(figure)
		and (_try(Vector2.ZERO, taken, window) or (_shift != Vector2.ZERO and _try(_shift, taken, window)) or _try_around(taken, window))
	)


## Moves to a place if it covers nothing. Returns [code]false[/code] if it does.
func _try(shift: Vector2, taken: DemoTaken, window: Rect2) -> bool:
	var box := get_rect(shift)
	var inside := clampf(box.position.x, window.position.x, window.end.x - wide)
	shift.x += inside - box.position.x
	box.position.x = inside
	if not window.encloses(box) or taken.hits(box.grow(DemoLabels.GAP / 2.0)):
		return false
	_move(shift)
	return true


## Moves to the nearest other place that covers nothing.
func _try_around(taken: DemoTaken, window: Rect2) -> bool:
	var step_size := Vector2(wide, _high + DemoLabels.GAP)
	for step: Vector2 in _get_steps():
		if _try(step * step_size, taken, window):
			return true
	return false


## Returns the steps to other places around the figure, the nearest first.
static func _get_steps() -> Array[Vector2]:
	if _steps.is_empty():
		for y: int in range(-DemoLabels.MOST_LEVELS * 2, DemoLabels.MOST_LEVELS):
			for x: int in range(-8, 9):
				_steps.append(Vector2(x / 4.0, y / 2.0))
		# A place a line higher is as good as one a third of the label's width aside.
		_steps.sort_custom(func(one: Vector2, other: Vector2) -> bool: return _get_way(one) < _get_way(other))
	return _steps


static func _get_way(step: Vector2) -> float:
	return step.length_squared() + (4.0 if step.y > 0.0 else 0.0) + step.x * step.x * 8.0


func _move(shift: Vector2) -> void:
	_shift = shift
	position = (_get_head() + shift).round()
	# The line from the middle of the label to the head, or to the feet of somebody above it.
	var from := Vector2(0, -_high / 2.0)
	var is_below := position.y - _high >= figure.end.y
	var to := (Vector2(figure.get_center().x, figure.end.y) if is_below else _get_head()) - position - from
	_leader.visible = shift != Vector2.ZERO
	_leader.position = from
	_leader.rotation = to.angle() - PI / 2.0
	_leader.scale.y = to.length()


func _get_head() -> Vector2:
	return Vector2(figure.get_center().x, figure.position.y - DemoLabels.GAP)


func _on_changed() -> void:
	if person.get_picture() != _picture or person.chosen != _chosen:
		_picture = person.get_picture()
		_chosen = person.chosen
		z_index = 1 if _chosen else 0
		queue_redraw()


func _draw() -> void:
	var box := Rect2(-wide / 2.0, -_high, wide, _high)
	draw_style_box(_get_style(DemoPalette.ACCENT if _chosen else person.colours[0], 3 if _chosen else 2), box)
	DemoPicture.draw(self, box.position + Vector2(15, _high / 2.0), _picture, 1.0)
	draw_string(
		ThemeDB.fallback_font,
		box.position + Vector2(27, 2.0 + _font_size),
		person.get_first_name(),
		HORIZONTAL_ALIGNMENT_LEFT,
		-1,
		_font_size,
		DemoPalette.INK
	)


static func _get_style(edge: Color, thick: int) -> StyleBoxFlat:
	var key := [edge, thick]
	if not _styles.has(key):
		var style := StyleBoxFlat.new()
		style.bg_color = DemoPalette.PAPER
		style.set_corner_radius_all(10)
		style.border_color = edge
		style.set_border_width_all(thick)
		style.shadow_color = Color(0, 0, 0, 0.25)
		style.shadow_size = 3
		_styles[key] = style
	return _styles[key]
