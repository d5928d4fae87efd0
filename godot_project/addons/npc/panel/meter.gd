@tool
extends Control
## A bar with a name and a number, such as a need from 0 to 10.

const Look := preload("res://addons/npc/panel/look.gd")
## The width of the name.
const NAME := 96.0

var _name: String
var _most: float
var _value: float = 0.0
var _text: String = ""


func _init(called: String, most: float = 10.0) -> void:
	_name = called
	_most = most
	custom_minimum_size = Vector2(220, 24)


## Shows a value, and words beside the bar.
func show_value(value: float, text: String) -> void:
	if value != _value or text != _text:
		_value = value
		_text = text
		queue_redraw()


func _draw() -> void:
	var font := get_theme_font(&"font", &"Label")
	var ink := get_theme_color(&"font_color", &"Label")
	var tall := Look.font_size(self)
	var base := (size.y + font.get_ascent(tall) - font.get_descent(tall)) / 2.0
	draw_string(font, Vector2(0, base), _name, HORIZONTAL_ALIGNMENT_LEFT, NAME, tall, Color(ink, 0.8))
	var place := Rect2(NAME, size.y / 2.0 - 6.0, maxf(40.0, size.x - NAME - 56.0), 12.0)
	draw_rect(place, Color(ink, 0.12))
	var share := clampf(_value / _most, 0.0, 1.0)
	draw_rect(Rect2(place.position, Vector2(place.size.x * share, place.size.y)), Look.BAD if share < 0.3 else Look.GOOD)
	draw_string(font, Vector2(place.end.x + 8.0, base), _text, HORIZONTAL_ALIGNMENT_LEFT, 48.0, tall, ink)
