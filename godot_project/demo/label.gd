class_name DemoLabel
extends Node2D
## A person's name with a picture of what they do, above their head. Its position is in screen pixels.

const SIZE := 12
const HIGH := 20.0
## The speed at which it moves to another position, per second.
const GLIDE := 10.0

static var _styles: Dictionary[Array, StyleBoxFlat] = {}

var person: DemoPerson
var wide: float = 0.0
## The top of the person's head, to which the label points.
var anchor := Vector2.INF

## The distance from its position right above the head.
var _shift := Vector2.ZERO
var _leader: Node2D
var _picture: String = ""
var _chosen: bool = false


func _ready() -> void:
	wide = 34.0 + ThemeDB.fallback_font.get_string_size(person.get_first_name(), HORIZONTAL_ALIGNMENT_LEFT, -1, SIZE).x
	_leader = DemoFigure.add_part(
		self, Vector2.ZERO, func(on: Node2D) -> void: on.draw_rect(Rect2(-0.75, 0, 1.5, 1), Color(person.colours[0], 0.8))
	)
	_leader.show_behind_parent = true
	person.changed.connect(_on_changed)
	_on_changed()


## Returns the label's rectangle on the screen for a distance from its position right above the head.
func get_rect(shift: Vector2) -> Rect2:
	return Rect2(anchor + shift + Vector2(-wide / 2.0, -HIGH), Vector2(wide, HIGH))


## Returns the label's rectangle as it is shown.
func get_shown_rect() -> Rect2:
	return get_rect(_shift)


## Moves towards [param wanted]. Returns [code]true[/code] when it is there.
func glide(wanted: Vector2, delta: float) -> bool:
	_shift = _shift.lerp(wanted, 1.0 - exp(-GLIDE * delta))
	if _shift.distance_to(wanted) < 0.5:
		_shift = wanted
	position = (anchor + _shift).round()
	_leader.visible = _shift.length() > 1.0
	if _leader.visible:
		_leader.rotation = (-_shift).angle() - PI / 2.0
		_leader.scale.y = _shift.length()
	return _shift == wanted


func _on_changed() -> void:
	if person.get_picture() != _picture or person.chosen != _chosen:
		_picture = person.get_picture()
		_chosen = person.chosen
		z_index = 1 if _chosen else 0
		queue_redraw()


func _draw() -> void:
	var box := Rect2(-wide / 2.0, -HIGH, wide, HIGH)
	draw_style_box(_get_style(DemoPalette.ACCENT if _chosen else person.colours[0], 3 if _chosen else 2), box)
	DemoPicture.draw(self, box.position + Vector2(14, HIGH / 2.0), _picture, 0.95)
	draw_string(
		ThemeDB.fallback_font,
		box.position + Vector2(26, 14.5),
		person.get_first_name(),
		HORIZONTAL_ALIGNMENT_LEFT,
		-1,
		SIZE,
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
