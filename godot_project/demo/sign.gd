class_name DemoSign
extends Node2D
## The name of a house or a room. It is drawn once for each zoom, and afterwards only moved, shown and hidden.

const SIZE := 14
const HIGH := 20.0
const MARGIN := 6.0

static var _house_style: StyleBoxFlat
static var _room_style: StyleBoxFlat

var words: String = ""
var is_room: bool = false
## Where it may stand, the best place first, relative to the view's origin.
var choices: Array[Rect2] = []

var _at: int = 0


## Returns how wide a sign with these words is.
static func get_width(text: String) -> float:
	return ThemeDB.fallback_font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, DemoTextSize.of(SIZE)).x + MARGIN * 2.0


## Returns how high a sign is.
static func get_height() -> float:
	return HIGH + DemoTextSize.of(SIZE) - SIZE


## Stands where it covers none of the rectangles, and stays there as long as it can. Hides if there is no such place.
func stand(taken: DemoTaken, window: Rect2, origin: Vector2) -> void:
	for i: int in choices.size():
		var at := (_at + i) % choices.size()
		var box := Rect2(choices[at].position + origin, choices[at].size)
		if window.encloses(box) and not taken.hits(box):
			_at = at
			position = choices[at].position.round()
			visible = true  # it is drawn again only if it was hidden
			return
	visible = false


## Returns its rectangle on the screen.
func get_shown_rect(origin: Vector2) -> Rect2:
	return Rect2(choices[_at].position + origin, choices[_at].size)


func _draw() -> void:
	draw_style_box(_get_style(), Rect2(Vector2.ZERO, choices[0].size))
	var colour := DemoPalette.INK if is_room else DemoPalette.PAPER
	var font_size := DemoTextSize.of(SIZE)
	draw_string(ThemeDB.fallback_font, Vector2(MARGIN, font_size + 1.0), words, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size, colour)


func _get_style() -> StyleBoxFlat:
	if _house_style == null:
		_house_style = _make_style(Color(DemoPalette.WALL, 0.92))
		_room_style = _make_style(Color(DemoPalette.PAPER, 0.6))
	return _room_style if is_room else _house_style


static func _make_style(colour: Color) -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = colour
	style.set_corner_radius_all(4)
	return style
