class_name DemoNames
extends Node2D
## The names of houses and rooms, in the same size at every zoom. They are drawn again only when the zoom changes.

const HOUSE := 13
const ROOM := 11

var plan: DemoTownPlan

var _zoom: float = 0.0
var _offset := Vector2.ZERO


## Adapts to the camera. [param offset] is the position of the town in the world.
func look_from(view: Transform2D, offset: Vector2) -> void:
	position = view.origin.round()
	if view.get_scale().x != _zoom:
		_zoom = view.get_scale().x
		_offset = offset
		queue_redraw()


func _draw() -> void:
	for place: DemoTownPlan.TownPlace in plan.places:
		var area := DemoTownPlan.to_pixels(place.rect)
		area = Rect2((area.position + _offset) * _zoom, area.size * _zoom)
		if place.is_room and not place.open:
			_draw_room(place.name, area, place.rect)
		elif not place.is_room and not place.is_town() and not place.is_lane():
			_draw_house(place.name.trim_prefix("the "), area, place.rect, place.open)


## Writes on the wall that has no door, or on a sign if the wall is too thin.
func _draw_house(words: String, area: Rect2, cells: Rect2i, open: bool) -> void:
	words = words[0].to_upper() + words.substr(1)
	var wide := _width(words, HOUSE)
	var wall := DemoTownPlan.CELL * _zoom
	var below := plan.has_door_above(cells) and not open
	var middle := Vector2(area.get_center().x, area.end.y - wall / 2.0 if below else area.position.y + wall / 2.0)
	if open or wall < HOUSE + 4.0 or wide > area.size.x - 8.0:
		draw_style_box(_sign(), Rect2(middle.x - wide / 2.0 - 6.0, middle.y - 9.0, wide + 12.0, 18.0))
	_write(words, middle, wide, HOUSE, DemoPalette.PAPER)


## Writes the name only if it fits.
func _draw_room(words: String, area: Rect2, cells: Rect2i) -> void:
	var wide := _width(words, ROOM)
	if wide + 10.0 < area.size.x and area.size.y > ROOM * 3.0:
		var row := plan.get_name_row(cells) - cells.position.y
		var middle := Vector2(area.get_center().x, area.position.y + (row + 0.5) * DemoTownPlan.CELL * _zoom)
		_write(words, middle, wide, ROOM, Color(DemoPalette.INK, 0.55))


func _write(words: String, middle: Vector2, wide: float, size: int, colour: Color) -> void:
	var at := Vector2(middle.x - wide / 2.0, middle.y + size * 0.36).round()
	draw_string(ThemeDB.fallback_font, at, words, HORIZONTAL_ALIGNMENT_LEFT, -1, size, colour)


func _width(words: String, size: int) -> float:
	return ThemeDB.fallback_font.get_string_size(words, HORIZONTAL_ALIGNMENT_LEFT, -1, size).x


func _sign() -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = Color(DemoPalette.WALL, 0.85)
	style.set_corner_radius_all(4)
	return style
