class_name DemoEmoji
## Emoji where the system has a font for them, and small drawings of our own where it has not.

## What an activity is drawn as, by words in it.
const WORDS := {
	"sleep": "moon",
	"bed": "moon",
	"lie down": "moon",
	"cook": "pan",
	"bake": "pan",
	"bread": "pan",
	"dough": "pan",
	"stove": "pan",
	"oven": "pan",
	"eat": "plate",
	"breakfast": "plate",
	"lunch": "plate",
	"supper": "plate",
	"dinner": "plate",
	"food": "plate",
	"tea": "cup",
	"coffee": "cup",
	"drink": "cup",
	"kettle": "cup",
	"shower": "drop",
	"wash": "drop",
	"brush": "drop",
	"toilet": "drop",
	"water": "drop",
	"dishes": "drop",
	"read": "book",
	"write": "book",
	"account": "book",
	"book": "book",
	"notice": "book",
	"wood": "hammer",
	"mend": "hammer",
	"lathe": "hammer",
	"workshop": "hammer",
	"chair": "hammer",
	"sweep": "hammer",
	"flower": "leaf",
	"plant": "leaf",
	"weed": "leaf",
	"garden": "leaf",
	"duck": "leaf",
	"pond": "leaf",
	"green": "leaf",
	"piano": "note",
	"play": "note",
	"draw": "pencil",
	"sketch": "pencil",
	"easel": "pencil",
	"serve": "coin",
	"shop": "coin",
	"buy": "coin",
	"stock": "coin",
	"shelves": "coin",
	"crates": "coin",
	"counter": "coin",
	"talk": "words",
	"chat": "words",
	"say": "words",
	"dress": "shirt",
	"wardrobe": "shirt",
	"walk": "steps",
	"way": "steps",
}


## True when every character of it can be shown.
static func can_show(text: String) -> bool:
	if text.is_empty():
		return false
	var line := TextLine.new()
	line.add_string(text, ThemeDB.fallback_font, 16)
	for glyph: Dictionary in TextServerManager.get_primary_interface().shaped_text_get_glyphs(line.get_rid()):
		# A character that no font has comes as a glyph of no font, and would be drawn as a box with its number.
		if not (glyph["font_rid"] as RID).is_valid():
			return false
	return true


## The drawing for what somebody does.
static func picture_for(sentence: String, address: String, walking: bool) -> String:
	if walking:
		return "steps"
	var places := address.get_slice(":", address.get_slice_count(":") - 1).replace("_", " ")
	for text: String in [sentence.to_lower(), places] as Array[String]:
		for word: String in WORDS:
			if text.contains(word):
				return WORDS[word]
	return "dots"


## Draws an emoji, or the picture in its place, in a square of 16 pixels around a point.
static func draw(canvas: CanvasItem, at: Vector2, emoji: String, picture: String) -> void:
	if can_show(emoji):
		var font := ThemeDB.fallback_font
		var wide := font.get_string_size(emoji, HORIZONTAL_ALIGNMENT_LEFT, -1, 14).x
		while wide > 22.0 and emoji.length() > 1:  # of two, the first
			emoji = emoji.left(-1)
			wide = font.get_string_size(emoji, HORIZONTAL_ALIGNMENT_LEFT, -1, 14).x
		canvas.draw_string(font, at + Vector2(-wide / 2.0, 5.0), emoji, HORIZONTAL_ALIGNMENT_LEFT, -1, 14)
		return
	var line := func(points: Array, colour: Color, wide: float) -> void:
		var moved := PackedVector2Array()
		for point: Vector2 in points as Array:
			moved.append(at + point)
		canvas.draw_polyline(moved, colour, wide, true)
	match picture:
		"moon":
			canvas.draw_circle(at, 6.5, Color("6d7fb3"), true, -1.0, true)
			canvas.draw_circle(at + Vector2(3, -2.5), 5.0, DemoPalette.PAPER, true, -1.0, true)
		"pan":
			canvas.draw_circle(at + Vector2(-2, 0), 5.5, Color("4d4d52"), true, -1.0, true)
			canvas.draw_circle(at + Vector2(-2, 0), 3.0, Color("f3d36b"), true, -1.0, true)
			line.call([Vector2(3, 1), Vector2(8, 4)], Color("4d4d52"), 2.5)
		"plate":
			canvas.draw_circle(at, 6.5, Color("cfc3ae"), true, -1.0, true)
			canvas.draw_circle(at, 4.5, Color("ffffff"), true, -1.0, true)
			canvas.draw_circle(at, 2.5, Color("c9574c"), true, -1.0, true)
		"cup":
			canvas.draw_rect(Rect2(at + Vector2(-6, -2), Vector2(9, 8)), Color("4f7cac"))
			canvas.draw_arc(at + Vector2(4, 2), 3.0, -PI / 2.0, PI / 2.0, 8, Color("4f7cac"), 2.0, true)
			line.call([Vector2(-4, -4), Vector2(-3, -7)], Color("b5a694"), 1.5)
			line.call([Vector2(0, -4), Vector2(1, -7)], Color("b5a694"), 1.5)
		"drop":
			var shape := PackedVector2Array([at + Vector2(0, -7), at + Vector2(5, 1), at + Vector2(-5, 1)])
			canvas.draw_colored_polygon(shape, DemoPalette.WATER)
			canvas.draw_circle(at + Vector2(0, 2), 5.0, DemoPalette.WATER, true, -1.0, true)
		"book":
			canvas.draw_rect(Rect2(at + Vector2(-7, -5), Vector2(7, 10)), Color("ffffff"))
			canvas.draw_rect(Rect2(at + Vector2(0, -5), Vector2(7, 10)), Color("efe3cb"))
			canvas.draw_rect(Rect2(at + Vector2(-7, -5), Vector2(14, 10)), Color("8c3b33"), false, 1.5)
			line.call([Vector2(0, -5), Vector2(0, 5)], Color("8c3b33"), 1.5)
		"hammer":
			line.call([Vector2(-5, 6), Vector2(3, -2)], Color("9c6a3d"), 2.5)
			line.call([Vector2(0, -6), Vector2(6, 0)], Color("4d4d52"), 4.0)
		"leaf":
			canvas.draw_circle(at + Vector2(-3, 0), 4.0, Color("5c9e6d"), true, -1.0, true)
			canvas.draw_circle(at + Vector2(3, -3), 4.0, Color("75b383"), true, -1.0, true)
			line.call([Vector2(0, 7), Vector2(0, -2)], Color("3f7350"), 2.0)
		"note":
			canvas.draw_circle(at + Vector2(-3, 4), 3.0, DemoPalette.INK, true, -1.0, true)
			line.call([Vector2(0, 4), Vector2(0, -6), Vector2(5, -4)], DemoPalette.INK, 2.0)
		"pencil":
			line.call([Vector2(-5, 5), Vector2(5, -5)], Color("e6ad55"), 4.0)
			line.call([Vector2(-6, 6), Vector2(-4, 4)], DemoPalette.INK, 3.0)
		"coin":
			canvas.draw_circle(at, 6.0, Color("c9953b"), true, -1.0, true)
			canvas.draw_circle(at, 4.2, Color("f3d36b"), true, -1.0, true)
		"words":
			canvas.draw_rect(Rect2(at + Vector2(-7, -6), Vector2(14, 9)), Color("4f7cac"))
			canvas.draw_colored_polygon(PackedVector2Array([at + Vector2(-4, 3), at + Vector2(1, 3), at + Vector2(-4, 7)]), Color("4f7cac"))
		"shirt":
			canvas.draw_rect(Rect2(at + Vector2(-4, -4), Vector2(8, 10)), Color("c9574c"))
			line.call([Vector2(-7, -1), Vector2(-3, -4), Vector2(3, -4), Vector2(7, -1)], Color("c9574c"), 3.0)
		"steps":
			for foot: Vector2 in [Vector2(-3, 3), Vector2(3, -3)] as Array[Vector2]:
				canvas.draw_circle(at + foot, 2.8, Color("8d5f38"), true, -1.0, true)
				canvas.draw_circle(at + foot + Vector2(0, -4), 1.6, Color("8d5f38"), true, -1.0, true)
		_:
			for x: int in 3:
				canvas.draw_circle(at + Vector2(-5 + x * 5, 1), 1.8, DemoPalette.TEXT_DIM, true, -1.0, true)
