@tool
extends Control
## The face of a person: the picture beside its persona file, or the first letter of its name.

## The endings of pictures, in the order in which they are looked for.
const ENDINGS: PackedStringArray = ["png", "webp", "jpg", "jpeg", "svg"]

var _letter: String = ""
var _color := Color.GRAY
var _picture: Texture2D


## Makes a portrait of a person, as wide as high.
func _init(person: Dictionary, size_px: float) -> void:
	custom_minimum_size = Vector2(size_px, size_px)
	size_flags_vertical = Control.SIZE_SHRINK_CENTER
	var called := str(person["name"])
	_letter = called.left(1).to_upper()
	_color = Color.from_hsv((str(person["id"]).hash() % 360) / 360.0, 0.5, 0.6)
	_picture = find_picture(person["file"] as String)


## Returns the picture beside a persona file, or [code]null[/code].
static func find_picture(file: String) -> Texture2D:
	for ending: String in ENDINGS:
		var path := "%s.%s" % [file.get_basename(), ending]
		if not FileAccess.file_exists(path):
			continue
		if ResourceLoader.exists(path):
			return load(path) as Texture2D
		var image := Image.load_from_file(path)
		if image != null:
			return ImageTexture.create_from_image(image)
	return null


func _draw() -> void:
	var side := minf(size.x, size.y)
	if _picture != null:
		var whole := _picture.get_size()
		var square := minf(whole.x, whole.y)
		# The upper middle: faces are there.
		var shown := Rect2((whole.x - square) / 2.0, 0.0, square, square)
		draw_texture_rect_region(_picture, Rect2(0, 0, side, side), shown)
		return
	draw_circle(Vector2(side, side) / 2.0, side / 2.0, _color, true, -1.0, true)
	var font := get_theme_font(&"bold", &"EditorFonts")
	var font_size := int(side * 0.5)
	var width := font.get_string_size(_letter, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x
	var line := (side + font.get_ascent(font_size) - font.get_descent(font_size)) / 2.0
	draw_string(font, Vector2((side - width) / 2.0, line), _letter, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size, Color.WHITE)
