class_name RecipeTalkBox
extends CanvasLayer
## A box at the bottom of the screen: who speaks, what is said, choices, and a line to type in.

## Emitted when the player goes on, picks a choice (its number), or has typed a line.
signal answered(choice: int, typed: String)

var _panel := PanelContainer.new()
var _who := Label.new()
var _text := Label.new()
var _choices := HBoxContainer.new()
var _typed := LineEdit.new()


func _ready() -> void:
	_panel.set_anchors_and_offsets_preset(Control.PRESET_BOTTOM_WIDE, Control.PRESET_MODE_KEEP_SIZE, 18)
	_panel.grow_vertical = Control.GROW_DIRECTION_BEGIN
	_panel.add_theme_stylebox_override("panel", _make_paper())
	_panel.hide()
	add_child(_panel)
	var rows := VBoxContainer.new()
	_panel.add_child(rows)
	_who.add_theme_color_override("font_color", Color("e6ad55"))
	_text.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	_typed.placeholder_text = "Say something, or nothing to end the talk. Press Enter."
	for row: Control in [_who, _text, _choices, _typed] as Array[Control]:
		rows.add_child(row)
	_typed.text_submitted.connect(_on_typed)


## Shows a line, and waits until the player goes on.
func tell(who: String, text: String) -> void:
	await choose(who, text, PackedStringArray(["Go on"]))


## Shows a line with choices, and returns the number of the one that the player picks.
func choose(who: String, text: String, choices: PackedStringArray) -> int:
	_show(who, text, choices, false)
	var answer: Array = await answered
	_panel.hide()
	return answer[0]


## Shows a line, and returns what the player types.
func ask(who: String, text: String) -> String:
	_show(who, text, PackedStringArray(), true)
	var answer: Array = await answered
	_panel.hide()
	return answer[1]


## Shows a line without waiting for anything.
func note(text: String) -> void:
	_show("", text, PackedStringArray(), false)


## Returns the text that is shown; empty if the box is closed.
func get_shown() -> String:
	return _text.text if _panel.visible else ""


## Returns [code]true[/code] while the player is to type a line.
func waits_for_words() -> bool:
	return _panel.visible and _typed.visible


func _show(who: String, text: String, choices: PackedStringArray, types: bool) -> void:
	_who.text = who
	_who.visible = not who.is_empty()
	_text.text = text
	for old: Node in _choices.get_children():
		old.queue_free()
	for i: int in choices.size():
		var button := Button.new()
		button.text = choices[i]
		button.pressed.connect(func() -> void: answered.emit(i, ""))
		_choices.add_child(button)
	_typed.visible = types
	_typed.clear()
	_panel.show()
	if types:
		_typed.grab_focus()


static func _make_paper() -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = Color("2a2320")
	style.set_corner_radius_all(8)
	style.set_content_margin_all(14)
	return style


func _on_typed(words: String) -> void:
	answered.emit(-1, words.strip_edges())
