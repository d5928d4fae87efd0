@tool
extends ConfirmationDialog
## Asks for the text and the importance of a memory.

## Emitted with the memory that is wanted. [param id] is 0 for a new one, and [param importance] is 0 if the mind rates it.
signal given(id: int, text: String, importance: int, everybody: bool)

const WIDTH := 460.0

## The sentence.
var text := TextEdit.new()
## How much it matters, from 1 to 10; 0 lets the mind decide.
var importance := SpinBox.new()
## Whether everybody in the save gets it.
var everybody := CheckBox.new()
## Why the memory cannot be stored yet.
var problem := Label.new()

var _id: int = 0


func _init() -> void:
	var scale := EditorInterface.get_editor_scale()
	var column := VBoxContainer.new()
	text.custom_minimum_size = Vector2(WIDTH, 90) * scale
	text.wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
	text.size_flags_vertical = Control.SIZE_EXPAND_FILL
	text.placeholder_text = "The old king is dead."
	text.text_changed.connect(_check)
	column.add_child(text)
	var row := HBoxContainer.new()
	var label := Label.new()
	label.text = "Importance"
	importance.max_value = 10
	importance.tooltip_text = "From 1 (mundane) to 10 (life changing). With 0 the mind rates it, or it stays as it is."
	everybody.text = "Everybody in the save gets it"
	for part: Control in [label, importance, everybody] as Array[Control]:
		row.add_child(part)
	column.add_child(row)
	column.add_child(problem)
	add_child(column)
	confirmed.connect(_give)


## Opens the dialog for a new memory of somebody, or for one to edit.
func ask(who: String, memory: Dictionary) -> void:
	_id = memory.get("id", 0) as int
	title = "New Memory of %s" % who if _id == 0 else "Memory %d of %s" % [_id, who]
	text.text = str(memory.get("text", ""))
	importance.value = memory.get("importance", 0) as int
	everybody.button_pressed = false
	everybody.visible = _id == 0
	problem.add_theme_color_override(&"font_color", get_theme_color(&"error_color", &"Editor"))
	_check()
	reset_size()
	popup_centered()
	text.grab_focus()


func _check() -> void:
	problem.text = "Write a sentence in the third person." if _get_text().is_empty() else ""
	get_ok_button().disabled = not problem.text.is_empty()


func _get_text() -> String:
	return text.text.replace("\n", " ").strip_edges()


func _give() -> void:
	importance.apply()
	given.emit(_id, _get_text(), int(importance.value), everybody.button_pressed)
