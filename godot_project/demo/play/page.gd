class_name DemoPage
extends PanelContainer
## A sheet of paper over the town, such as the journal. Time stands still while it is open.

## Emitted when the player closes it.
signal shut

const MARGIN := 28.0
const PAPER := Color("f4e9d2")
const EDGE := Color("b79f77")
const INK := Color("33271d")
const FADED := Color("7a6751")
const RED := Color("9b3b2c")

var _rows := VBoxContainer.new()


func _ready() -> void:
	visible = false
	var style := StyleBoxFlat.new()
	style.bg_color = PAPER
	style.border_color = EDGE
	style.set_border_width_all(2)
	style.set_corner_radius_all(6)
	style.set_content_margin_all(MARGIN)
	style.shadow_color = Color(0, 0, 0, 0.5)
	style.shadow_size = 18
	add_theme_stylebox_override("panel", style)
	_rows.add_theme_constant_override("separation", 8)
	add_child(_rows)


## Places the sheet in the middle of the window.
func place(wide: float, high: float) -> void:
	set_anchors_preset(Control.PRESET_CENTER)
	offset_left = -wide / 2.0
	offset_right = wide / 2.0
	offset_top = -high / 2.0
	offset_bottom = high / 2.0


func open() -> void:
	visible = true


func close() -> void:
	if visible:
		visible = false
		shut.emit()


## Adds a text that wraps at the sheet's edge.
static func add_text(under: Control, text: String, size: int, colour := INK) -> Label:
	var label := Label.new()
	label.text = text
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	label.mouse_filter = Control.MOUSE_FILTER_IGNORE
	DemoTextSize.hold(label, size)
	label.add_theme_color_override("font_color", colour)
	label.add_theme_constant_override("line_spacing", 2)
	under.add_child(label)
	return label


## Adds a thin line across.
static func add_rule(under: Control) -> void:
	var rule := ColorRect.new()
	rule.color = EDGE
	rule.custom_minimum_size.y = 1.0
	rule.mouse_filter = Control.MOUSE_FILTER_IGNORE
	under.add_child(rule)


## Adds a column that scrolls, and takes the rest of the height.
static func add_column(under: Control, gap: int) -> VBoxContainer:
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	scroll.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	under.add_child(scroll)
	var column := VBoxContainer.new()
	column.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	column.add_theme_constant_override("separation", gap)
	scroll.add_child(column)
	return column


## Adds the title, and at its right how the sheet is closed.
func add_title(text: String, hint: String) -> void:
	var head := HBoxContainer.new()
	_rows.add_child(head)
	add_text(head, text, 28)
	var how := add_text(head, hint, 14, FADED)
	how.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
	how.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	how.size_flags_vertical = Control.SIZE_FILL
	add_rule(_rows)


static func clear(column: Control) -> void:
	for child: Node in column.get_children():
		column.remove_child(child)
		child.queue_free()
