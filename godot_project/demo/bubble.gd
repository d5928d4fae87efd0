class_name DemoBubble
extends Node2D
## A speech bubble over a person's name. Its position is in screen pixels.

const SIZE := 14
const WIDE := 230.0
const LINES := 4
const MARGIN := Vector2(10, 7)
const FADE_S := 0.35

static var _shared: StyleBoxFlat

var person: DemoPerson
## The text, and the size of its bubble.
var text: String = ""
var box := Vector2.ZERO
## If [code]false[/code], the bubble fades out.
var stays: bool = true

var _words := TextParagraph.new()
## The distance from the person's name, once it has a place.
var _shift := Vector2.INF
var _tail: Node2D


func _ready() -> void:
	modulate.a = 0.0
	_words.max_lines_visible = LINES
	_words.text_overrun_behavior = TextServer.OVERRUN_TRIM_WORD_ELLIPSIS
	_tail = DemoFigure.add_part(self, Vector2.ZERO, _draw_tail)
	_tail.z_index = -1  # behind the words of other bubbles
	say(text)


func say(what: String) -> void:
	text = what
	_shift = Vector2.INF
	_words.clear()
	_words.width = DemoTextSize.of(int(WIDE))
	_words.add_string(text, ThemeDB.fallback_font, DemoTextSize.of(SIZE))
	box = _words.get_size() + MARGIN * 2.0
	# A single line needs only the width of its words.
	if _words.get_line_count() == 1:
		box.x = _words.get_line_width(0) + MARGIN.x * 2.0
	queue_redraw()


## Returns the bubble's rectangle at its present distance from the person's name; empty if it has no place yet.
func get_rect_at(name_box: Rect2) -> Rect2:
	return Rect2(name_box.position + _shift, box) if _shift.is_finite() else Rect2(Vector2.INF, box)


## Puts the bubble's upper left corner at [param at], and its tail between it and the person's name.
func put(at: Vector2, name_box: Rect2) -> void:
	position = at.round()
	_shift = at - name_box.position
	var tip := name_box.get_center().clamp(at, at + box).clamp(name_box.position, name_box.end)
	var to := tip - at
	var is_beside := to.x < 0.0 or to.x > box.x
	var root := Vector2(clampf(to.x, 14.0, box.x - 14.0), clampf(to.y, 1.0, box.y - 1.0))
	if is_beside:
		root = Vector2(clampf(to.x, 1.0, box.x - 1.0), clampf(to.y, 12.0, box.y - 12.0))
	_tail.position = root
	_tail.rotation = (tip - at - root).angle() - PI / 2.0
	_tail.scale.y = maxf((tip - at).distance_to(root), 1.0)


## Fades in or out by a frame. Returns [code]true[/code] when the bubble is gone.
func fade(delta: float) -> bool:
	modulate.a = move_toward(modulate.a, 1.0 if stays else 0.0, delta / FADE_S)
	return not stays and modulate.a == 0.0


func _draw() -> void:
	if _shared == null:
		_shared = StyleBoxFlat.new()
		_shared.bg_color = Color.WHITE
		_shared.set_corner_radius_all(8)
		_shared.shadow_color = Color(0, 0, 0, 0.3)
		_shared.shadow_size = 4
	draw_style_box(_shared, Rect2(Vector2.ZERO, box))
	_words.draw(get_canvas_item(), MARGIN, DemoPalette.INK)


## Draws the tail one pixel high; [method put] stretches it.
func _draw_tail(on: Node2D) -> void:
	on.draw_colored_polygon(PackedVector2Array([Vector2(-5, 0), Vector2(5, 0), Vector2(0, 1)]), Color.WHITE)
