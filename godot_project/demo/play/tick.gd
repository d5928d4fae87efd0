class_name DemoTick
extends Control
## A box in front of a goal, ticked once the goal is reached.

var done: bool = false
var colour := Color.BLACK


static func make(is_done: bool, of_colour: Color) -> DemoTick:
	var made := DemoTick.new()
	made.done = is_done
	made.colour = of_colour
	made.custom_minimum_size = Vector2(18, 22)
	made.mouse_filter = Control.MOUSE_FILTER_IGNORE
	return made


func _draw() -> void:
	draw_rect(Rect2(1.5, 5.5, 13, 13), Color(colour, 0.7), false, 1.5)
	if done:
		draw_polyline(PackedVector2Array([Vector2(4, 11), Vector2(8, 16), Vector2(16, 4)]), colour, 2.2, true)
