class_name DemoTalkPanel
extends PanelContainer
## The panel of a conversation: the person, the lines so far, and a field to type in.

## Emitted when the player has entered a line.
signal spoken(text: String)
## Emitted when the player has clicked the cross.
signal shut

const WIDE := 820.0
## Room for six lines.
const HIGH := 240.0
const LONGEST_LINE := 500
const HINT := "Type a line to %s and press Enter. Begin it with %s to make it a thought of theirs."
const COLOURS: Dictionary[DemoTalkLog.Kind, Color] = {
	DemoTalkLog.Kind.YOU: DemoPalette.TEXT,
	DemoTalkLog.Kind.THEM: DemoPalette.TEXT,
	DemoTalkLog.Kind.ACTION: DemoPalette.ACCENT,
	DemoTalkLog.Kind.NOTE: DemoPalette.TEXT_DIM,
	DemoTalkLog.Kind.FAILURE: DemoPalette.BAD,
}

var line := LineEdit.new()

var _person: DemoPerson
var _style := StyleBoxFlat.new()
var _name := Label.new()
var _doing := Label.new()
var _said := RichTextLabel.new()


func _ready() -> void:
	_place()
	var rows := VBoxContainer.new()
	rows.add_theme_constant_override("separation", 8)
	add_child(rows)
	rows.add_child(_head())
	_said.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_said.scroll_following = true
	_said.selection_enabled = true
	_said.focus_mode = Control.FOCUS_NONE
	_said.add_theme_font_size_override("normal_font_size", 15)
	_said.add_theme_constant_override("line_separation", 3)
	rows.add_child(_said)
	line.max_length = LONGEST_LINE
	line.keep_editing_on_text_submit = true
	line.add_theme_font_size_override("font_size", 15)
	line.add_theme_color_override("font_color", DemoPalette.TEXT)
	line.add_theme_color_override("font_placeholder_color", Color(DemoPalette.TEXT_DIM, 0.8))
	line.add_theme_stylebox_override("normal", _field(DemoPalette.TEXT_DIM))
	line.add_theme_stylebox_override("focus", _field(DemoPalette.ACCENT))
	line.text_submitted.connect(spoken.emit)
	rows.add_child(line)


func turn_to(person: DemoPerson) -> void:
	_person = person
	_style.border_color = person.colours[0]
	_name.text = person.get_agent().display_name
	var first := person.get_first_name()
	line.placeholder_text = "Say something to %s …" % first
	line.tooltip_text = (
		"Enter says it, Esc ends the talk.\nA line that begins with %s puts a thought into %s's head." % [DemoTalk.THINK, first]
	)


func write(lines: Array[Dictionary]) -> void:
	_said.clear()
	if lines.is_empty():
		_write(HINT % [_person.get_first_name(), DemoTalk.THINK], DemoPalette.TEXT_DIM)
	for i: int in lines.size():
		if i > 0:
			_said.newline()
		var kind: DemoTalkLog.Kind = lines[i]["kind"]
		if kind == DemoTalkLog.Kind.YOU:
			_write("You: ", DemoPalette.TEXT_DIM)
		elif kind == DemoTalkLog.Kind.THEM:
			_write(_person.get_first_name() + ": ", _person.colours[0].lightened(0.4))
		var state: String = lines[i].get("state", "")
		_write(str(lines[i]["text"]), COLOURS[kind] if state.is_empty() else DemoPalette.TEXT_DIM)
		if not state.is_empty():
			_write(" " + state, DemoPalette.BAD if state == DemoTalkLog.NOT_SAID else DemoPalette.ACCENT)


## Returns the conversation as plain text.
func get_text() -> String:
	return _said.get_parsed_text()


func _process(_delta: float) -> void:
	if visible and _person != null:
		_doing.text = _person.get_line()


func _write(words: String, colour: Color) -> void:
	_said.push_color(colour)
	_said.add_text(words)
	_said.pop()


## Places the panel at the bottom, in the middle between the left edge and the cards.
func _place() -> void:
	mouse_force_pass_scroll_events = false
	set_anchors_preset(Control.PRESET_CENTER_BOTTOM)
	var middle := -(DemoHud.SIDE + 8.0) / 2.0
	offset_left = middle - WIDE / 2.0
	offset_right = middle + WIDE / 2.0
	offset_top = -HIGH - 8.0
	offset_bottom = -8.0
	_style.bg_color = DemoPalette.PANEL_LIGHT
	_style.set_corner_radius_all(8)
	_style.border_width_left = 5
	_style.set_content_margin_all(14.0)
	_style.content_margin_left = 20.0
	_style.shadow_color = Color(0, 0, 0, 0.35)
	_style.shadow_size = 8
	add_theme_stylebox_override("panel", _style)


func _head() -> HBoxContainer:
	var head := HBoxContainer.new()
	head.add_theme_constant_override("separation", 12)
	_name.add_theme_font_size_override("font_size", 18)
	_name.add_theme_color_override("font_color", DemoPalette.TEXT)
	head.add_child(_name)
	_doing.add_theme_font_size_override("font_size", 14)
	_doing.add_theme_color_override("font_color", DemoPalette.TEXT_DIM)
	_doing.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_doing.text_overrun_behavior = TextServer.OVERRUN_TRIM_WORD_ELLIPSIS
	head.add_child(_doing)
	var cross := Button.new()
	cross.text = "×"
	cross.tooltip_text = "Esc"
	cross.flat = true
	cross.focus_mode = Control.FOCUS_NONE
	cross.pressed.connect(shut.emit)
	head.add_child(cross)
	return head


func _field(edge: Color) -> StyleBoxFlat:
	var field := StyleBoxFlat.new()
	field.bg_color = DemoPalette.PANEL
	field.border_color = edge
	field.set_border_width_all(1)
	field.set_corner_radius_all(5)
	field.set_content_margin_all(8.0)
	return field
