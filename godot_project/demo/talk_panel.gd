class_name DemoTalkPanel
extends PanelContainer
## The dialogue box: the person, the lines so far, lines to choose from, and a field to type in.

## Emitted when the player has entered a line.
signal spoken(text: String)
## Emitted when the player has chosen a line.
signal chosen(choice: DemoChoice)
## Emitted when the player has clicked the cross.
signal shut
## Emitted when the player begins to whisper, or to speak aloud again.
signal whispers_changed

## In a window with panels at its side, and in one of its own.
const WIDE := 920.0
const WIDEST := 1216.0
const HIGH := 248.0
const LONGEST_LINE := 500
const HINT := "Type a line to %s and press Enter. Begin it with %s to make it a thought of theirs."
const HINT_WITH_CHOICES := "Choose a line, or type your own. What you whisper becomes a thought of %s."
const COLOURS: Dictionary[DemoTalkLog.Kind, Color] = {
	DemoTalkLog.Kind.YOU: DemoPalette.TEXT,
	DemoTalkLog.Kind.THEM: DemoPalette.TEXT,
	DemoTalkLog.Kind.ACTION: DemoPalette.ACCENT,
	DemoTalkLog.Kind.NOTE: DemoPalette.TEXT_DIM,
	DemoTalkLog.Kind.FAILURE: DemoPalette.BAD,
}

var line := LineEdit.new()
var choices := DemoChoiceList.new()
## If [code]true[/code], the box takes the whole width of the window.
var is_wide: bool = false
## If [code]true[/code], what the player says becomes a thought of the person.
var whispers: bool = false:
	set(value):
		if value != whispers:
			whispers = value
			_whisper.set_pressed_no_signal(value)
			_write_hint()
			whispers_changed.emit()

var _person: DemoPerson
var _portrait := DemoPortrait.new()
var _whisper := Button.new()
var _style := StyleBoxFlat.new()
var _name := Label.new()
var _doing := Label.new()
var _said := RichTextLabel.new()


func _ready() -> void:
	add_to_group(DemoTextSize.GROUP)
	_place()
	var parts := HBoxContainer.new()
	parts.add_theme_constant_override("separation", 18)
	add_child(parts)
	_portrait.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	parts.add_child(_portrait)
	var rows := VBoxContainer.new()
	rows.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	rows.add_theme_constant_override("separation", 8)
	parts.add_child(rows)
	choices.chosen.connect(chosen.emit)
	parts.add_child(choices)
	rows.add_child(_head())
	_said.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_said.scroll_following = true
	_said.selection_enabled = true
	_said.focus_mode = Control.FOCUS_NONE
	DemoTextSize.hold(_said, 17, &"normal_font_size")
	_said.add_theme_constant_override("line_separation", 4)
	rows.add_child(_said)
	line.max_length = LONGEST_LINE
	line.keep_editing_on_text_submit = true
	DemoTextSize.hold(line, 15)
	line.add_theme_color_override("font_color", DemoPalette.TEXT)
	line.add_theme_color_override("font_placeholder_color", Color(DemoPalette.TEXT_DIM, 0.8))
	line.add_theme_stylebox_override("normal", _field(DemoPalette.TEXT_DIM))
	line.add_theme_stylebox_override("focus", _field(DemoPalette.ACCENT))
	line.text_submitted.connect(spoken.emit)
	rows.add_child(line)


func turn_to(person: DemoPerson) -> void:
	if person != _person:
		whispers = false
	_person = person
	_portrait.turn_to(person.colours, DemoLooks.of(person.get_agent().persona_id))
	_style.border_color = person.colours[0]
	_name.text = person.get_agent().display_name
	_write_hint()


func write(lines: Array[Dictionary]) -> void:
	_said.clear()
	if lines.is_empty():
		var first := _person.get_first_name()
		_write(HINT_WITH_CHOICES % first if is_wide else HINT % [first, DemoTalk.THINK], DemoPalette.TEXT_DIM)
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


## Takes on the size of texts that the player has chosen. The box becomes higher, and its lower edge stays.
func fit_texts() -> void:
	offset_top = offset_bottom - DemoTextSize.of(int(HIGH))


## Returns the conversation as plain text.
func get_text() -> String:
	return _said.get_parsed_text()


func _input(event: InputEvent) -> void:
	if visible and not get_tree().paused and line.text.is_empty() and choices.take(event):
		get_viewport().set_input_as_handled()


func _process(_delta: float) -> void:
	if visible and _person != null:
		_doing.text = _person.get_line()


func _write_hint() -> void:
	if _person == null:
		return
	var first := _person.get_first_name()
	line.placeholder_text = "Put a thought into %s's head …" % first if whispers else "Say something to %s …" % first
	line.tooltip_text = (
		"Enter says it, Esc ends the talk.\nA line that begins with %s puts a thought into %s's head." % [DemoTalk.THINK, first]
	)


func _write(words: String, colour: Color) -> void:
	_said.push_color(colour)
	_said.add_text(words)
	_said.pop()


## Places the panel at the bottom: in the middle of the window, or between its left edge and the cards.
func _place() -> void:
	mouse_force_pass_scroll_events = false
	set_anchors_preset(Control.PRESET_CENTER_BOTTOM)
	var middle := 0.0 if is_wide else -(DemoHud.SIDE + 8.0) / 2.0
	offset_left = middle - (WIDEST if is_wide else WIDE) / 2.0
	offset_right = middle + (WIDEST if is_wide else WIDE) / 2.0
	offset_bottom = -8.0
	grow_vertical = Control.GROW_DIRECTION_BEGIN
	fit_texts()
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
	DemoTextSize.hold(_name, 18)
	_name.add_theme_color_override("font_color", DemoPalette.TEXT)
	head.add_child(_name)
	DemoTextSize.hold(_doing, 14)
	_doing.add_theme_color_override("font_color", DemoPalette.TEXT_DIM)
	_doing.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_doing.text_overrun_behavior = TextServer.OVERRUN_TRIM_WORD_ELLIPSIS
	head.add_child(_doing)
	_whisper.text = "Whisper"
	_whisper.tooltip_text = "F2: what you say next becomes a thought of theirs."
	_whisper.toggle_mode = true
	_whisper.focus_mode = Control.FOCUS_NONE
	DemoTextSize.hold(_whisper, 14)
	for state: String in ["normal", "hover", "pressed", "hover_pressed"] as Array[String]:
		_whisper.add_theme_stylebox_override(state, _field(DemoPalette.ACCENT if state.contains("pressed") else DemoPalette.TEXT_DIM, 4.0))
	_whisper.visible = is_wide
	_whisper.toggled.connect(func(on: bool) -> void: whispers = on)
	head.add_child(_whisper)
	var cross := Button.new()
	cross.text = "×"
	DemoTextSize.hold(cross, 16)
	cross.tooltip_text = "Esc"
	cross.flat = true
	cross.focus_mode = Control.FOCUS_NONE
	cross.pressed.connect(shut.emit)
	head.add_child(cross)
	return head


func _field(edge: Color, margin := 8.0) -> StyleBoxFlat:
	var field := StyleBoxFlat.new()
	field.bg_color = DemoPalette.PANEL
	field.border_color = edge
	field.set_border_width_all(1)
	field.set_corner_radius_all(5)
	field.set_content_margin_all(margin)
	field.content_margin_left = 8.0
	field.content_margin_right = 8.0
	return field
