class_name DemoSlotCard
extends Button
## A save in the list: a picture, the slot, its town, the time there, and where the player was.

const HIGH := 112.0

## The fields of SaveInfo.
var save: Dictionary = {}


func _ready() -> void:
	custom_minimum_size = Vector2(0, HIGH)
	disabled = not str(save.get("problem", "")).is_empty()
	var slot := str(save["slot"])
	var row := HBoxContainer.new()
	row.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 8)
	row.mouse_filter = Control.MOUSE_FILTER_IGNORE
	row.add_theme_constant_override("separation", 18)
	add_child(row)
	row.add_child(_make_picture(slot))
	var lines := VBoxContainer.new()
	lines.mouse_filter = Control.MOUSE_FILTER_IGNORE
	lines.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	lines.add_theme_constant_override("separation", 1)
	row.add_child(lines)
	var at := int(save.get("game_time_s", 0) as float)
	lines.add_child(DemoTheme.label(slot, DemoTheme.USUAL + 1, DemoPalette.TEXT))
	lines.add_child(
		DemoTheme.label("%s, %s" % [DemoHud.get_clock_text(at), DemoHud.get_date_text(at)], DemoTheme.SMALL, DemoPalette.ACCENT)
	)
	var place := DemoSlots.get_place(slot)
	var town := str(save.get("town", ""))
	lines.add_child(DemoTheme.label(town if place.is_empty() else "%s, %s" % [place, town], DemoTheme.SMALL, DemoPalette.TEXT_DIM))
	var told := str(save.get("problem", "")) if disabled else "saved %s" % _get_saved_text()
	lines.add_child(DemoTheme.label(told, DemoTheme.SMALL, DemoPalette.BAD if disabled else DemoPalette.TEXT_DIM))
	for node: Node in lines.get_children():
		var line := node as Label
		line.mouse_filter = Control.MOUSE_FILTER_IGNORE
		line.clip_text = true
		line.text_overrun_behavior = TextServer.OVERRUN_TRIM_WORD_ELLIPSIS


func _make_picture(slot: String) -> Control:
	var frame := Panel.new()
	frame.mouse_filter = Control.MOUSE_FILTER_IGNORE
	frame.custom_minimum_size = Vector2(170, 96)
	frame.add_theme_stylebox_override("panel", DemoTheme.make_box(DemoPalette.INK, DemoPalette.TEXT_DIM, 1))
	var picture := TextureRect.new()
	picture.mouse_filter = Control.MOUSE_FILTER_IGNORE
	picture.texture = DemoSlots.load_picture(slot)
	picture.expand_mode = TextureRect.EXPAND_IGNORE_SIZE
	picture.stretch_mode = TextureRect.STRETCH_KEEP_ASPECT_COVERED
	picture.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 2)
	frame.add_child(picture)
	if picture.texture == null:
		var none := DemoTheme.label("no picture", DemoTheme.SMALL, DemoPalette.TEXT_DIM)
		none.set_anchors_preset(Control.PRESET_FULL_RECT)
		none.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
		none.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
		frame.add_child(none)
	return frame


func _get_saved_text() -> String:
	var at := int(save.get("saved_at_unix_s", 0) as float)
	var bias: int = Time.get_time_zone_from_system()["bias"]
	return Time.get_datetime_string_from_unix_time(at + bias * 60, true).left(16)
