class_name DemoWords
## Makes labels and panels, and names places. A text that does not fit ends at a word, with an ellipsis.


## Adds a label of one line.
static func add_line(under: Control, area: Rect2, size: int, colour: Color) -> Label:
	var label := Label.new()
	label.mouse_filter = Control.MOUSE_FILTER_IGNORE
	label.add_theme_font_size_override("font_size", size)
	label.add_theme_color_override("font_color", colour)
	label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	label.clip_text = true
	label.text_overrun_behavior = TextServer.OVERRUN_TRIM_WORD_ELLIPSIS
	label.position = area.position
	label.size = area.size
	under.add_child(label)
	return label


## Adds a label of several lines, as many as fit and at most [param most].
static func add_lines(under: Control, area: Rect2, size: int, colour: Color, most: int) -> Label:
	var label := add_line(under, area, size, colour)
	label.vertical_alignment = VERTICAL_ALIGNMENT_TOP
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.max_lines_visible = most
	label.add_theme_constant_override("line_spacing", 1)
	label.size = area.size
	return label


## Adds a panel with a colored left edge.
static func add_panel(under: Control, area: Rect2, edge: Color) -> Panel:
	var style := StyleBoxFlat.new()
	style.bg_color = DemoPalette.PANEL_LIGHT
	style.set_corner_radius_all(8)
	style.border_color = edge
	style.border_width_left = 5
	var made := Panel.new()
	made.mouse_filter = Control.MOUSE_FILTER_IGNORE
	made.add_theme_stylebox_override("panel", style)
	made.position = area.position
	made.size = area.size
	under.add_child(made)
	return made


## Returns a text such as "Hale's workshop, lathe" for the address of a place or an object.
static func get_place_text(address: String) -> String:
	var object := NpcObject.by_address(address)
	var room := NpcPlace.by_address(object.get_place_address() if object != null else address)
	if room == null:
		return address
	var house := get_house(address)
	if house == null or house == room:
		return room.display_name
	return "%s, %s" % [house.display_name.trim_prefix("the "), object.display_name if object != null else room.display_name]


## Returns the house or the open place in which an address lies, or [code]null[/code].
static func get_house(address: String) -> NpcPlace:
	return NpcPlace.by_address(":".join(address.split(":").slice(0, 2)))
