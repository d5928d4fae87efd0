class_name DemoSlots
## The saves as a player sees them: where, when, and a small picture. The pictures lie beside the saves, in user://.

const FOLDER := "user://slots"
const SECTION := "slot"
const PICTURE := Vector2i(256, 144)

## Returns where the player is, such as "Kettle Café". The game may set it; else the town's name is shown.
static var describe: Callable


## Saves the game to a slot, with a picture of what is on the screen unless [param picture] is given.
static func save(viewport: Viewport, slot: String, picture: Image = null) -> NpcRequest:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	var image := picture if picture != null else take_picture(viewport)
	if image != null:
		image.save_png(get_picture_path(slot))
	var file := ConfigFile.new()
	file.set_value(SECTION, "place", str(describe.call()) if describe.is_valid() else "")
	file.save(_get_file(slot))
	return NpcServer.save_game(slot)


## Returns a small picture of what is on the screen, or [code]null[/code] where nothing is drawn.
static func take_picture(viewport: Viewport) -> Image:
	if DisplayServer.get_name() == "headless":
		return null
	var image := viewport.get_texture().get_image()
	if image != null:
		image.convert(Image.FORMAT_RGB8)
		image.resize(PICTURE.x, PICTURE.y, Image.INTERPOLATE_LANCZOS)
	return image


## Returns the picture of a slot, or [code]null[/code].
static func load_picture(slot: String) -> Texture2D:
	var path := get_picture_path(slot)
	if not FileAccess.file_exists(path):
		return null
	var image := Image.load_from_file(path)
	return ImageTexture.create_from_image(image) if image != null else null


## Returns the place where a slot was saved; empty if it is not known.
static func get_place(slot: String) -> String:
	var file := ConfigFile.new()
	return str(file.get_value(SECTION, "place", "")) if file.load(_get_file(slot)) == OK else ""


## Removes what is kept beside a deleted slot.
static func forget(slot: String) -> void:
	for path: String in [get_picture_path(slot), _get_file(slot)] as Array[String]:
		if FileAccess.file_exists(path):
			DirAccess.remove_absolute(path)


static func get_picture_path(slot: String) -> String:
	return "%s/%s.png" % [FOLDER, slot]


## Returns the name for a new slot, such as "Alderwick 2".
static func get_free_name(town: String, taken: PackedStringArray) -> String:
	var lower := PackedStringArray()
	for slot: String in taken:
		lower.append(slot.to_lower())
	for number: int in range(1, 1000):
		var slot := "%s %d" % [town.capitalize(), number]
		if slot.to_lower() not in lower:
			return slot
	return town


static func _get_file(slot: String) -> String:
	return "%s/%s.cfg" % [FOLDER, slot]
