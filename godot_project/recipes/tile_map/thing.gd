class_name RecipeThing
extends NpcObject
## An object that is drawn with its name.

const INK := Color("2b221c")


func _draw() -> void:
	draw_rect(Rect2(-26, -16, 52, 32), Color("8a623f"))
	draw_rect(Rect2(-26, -16, 52, 32), Color("53391f"), false, 2.0)
	draw_string(ThemeDB.fallback_font, Vector2(-60, -22), display_name, HORIZONTAL_ALIGNMENT_CENTER, 120, 15, INK)
