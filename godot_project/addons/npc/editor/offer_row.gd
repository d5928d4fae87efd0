@tool
extends "res://addons/npc/editor/form_row.gd"
## An offer of a person: its name, when it is chosen, what it takes, and what the person says.

const FormRows := preload("res://addons/npc/editor/form_rows.gd")
const ParameterRow := preload("res://addons/npc/editor/parameter_row.gd")
const LINES_HEIGHT := 52.0

## The name of the action in the game.
var called := LineEdit.new()
## When to choose it.
var description := LineEdit.new()
## What goes with it, such as the goods.
var values: FormRows
## Words that ask for it, separated by commas.
var words := LineEdit.new()
## What the person says then, and asks when it is not sure, a sentence a line.
var says := TextEdit.new()
var asks := TextEdit.new()

var _grid := GridContainer.new()


func _init() -> void:
	super()
	values = FormRows.new(
		func() -> ParameterRow: return ParameterRow.new(), "Add Value", "Add something that the player chooses, such as goods or a number."
	)
	values.changed.connect(func() -> void: changed.emit())
	remove_button.tooltip_text = "Remove this offer."
	var row := HBoxContainer.new()
	_grid.columns = 2
	_grid.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	row.add_child(_grid)
	row.add_child(remove_button)
	var column := VBoxContainer.new()
	column.add_child(row)
	column.add_child(messages)
	var panel := PanelContainer.new()
	panel.add_child(column)
	add_child(panel)
	_add("Name", called, "open_shop", "The name of the action in your game: lower-case letters, digits and '_'.")
	var when := "When they do it, and with which prices. A language model reads this; without one, its words count."
	_add("Description", description, "sell bread; a rye loaf costs 3 crowns, a honey cake 2", when)
	_add("Values", values)
	_add(
		"Words",
		words,
		"bread, for sale",
		"Words of a player that ask for it, separated by commas. They count where no language model reads."
	)
	_add("Says", says, "There you are.", "What they say when they do it and no language model writes the line. One sentence a line.")
	_add("Asks", asks, "Is it bread you want?", "What they ask when it is not clear that the player wants it. One sentence a line.")


func get_first() -> Control:
	return called


func show_item(item: Dictionary) -> void:
	super(item)
	called.text = item["name"]
	description.text = item["description"]
	values.show_items(item["parameters"] as Array)
	words.text = ", ".join(PackedStringArray(item["words"] as Array))
	says.text = "\n".join(PackedStringArray(item["says"] as Array))
	asks.text = "\n".join(PackedStringArray(item["asks"] as Array))


func to_item() -> Dictionary:
	var told := {
		"name": called.text.strip_edges(),
		"description": description.text.strip_edges(),
		"parameters": values.to_items(),
		"words": ParameterRow.split(words.text, ","),
		"says": ParameterRow.split(says.text, "\n"),
		"asks": ParameterRow.split(asks.text, "\n"),
	}
	return super().merged(told)


func is_blank() -> bool:
	var typed := called.text + description.text + words.text + says.text + asks.text
	return _number < 0 and typed.strip_edges().is_empty() and values.list_filled().is_empty()


func _add(label_text: String, field: Control, example: String = "", hint: String = "") -> void:
	var label := Label.new()
	label.text = label_text
	label.tooltip_text = hint
	label.mouse_filter = Control.MOUSE_FILTER_PASS
	label.size_flags_vertical = Control.SIZE_SHRINK_CENTER if field is LineEdit else Control.SIZE_SHRINK_BEGIN
	field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	field.tooltip_text = hint
	if field is LineEdit:
		(field as LineEdit).placeholder_text = example
	elif field is TextEdit:
		(field as TextEdit).placeholder_text = example
		(field as TextEdit).wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
		(field as TextEdit).scroll_fit_content_height = true
		field.custom_minimum_size.y = LINES_HEIGHT * EditorInterface.get_editor_scale()
		# Tab goes to the next field, as it does from a line.
		field.gui_input.connect(_on_lines_input.bind(field))
	_watch(field)
	_grid.add_child(label)
	_grid.add_child(field)


func _on_lines_input(event: InputEvent, field: Control) -> void:
	for row: Array in (
		[[&"ui_focus_next", field.find_next_valid_focus()], [&"ui_focus_prev", field.find_prev_valid_focus()]] as Array[Array]
	):
		if event.is_action_pressed(row[0] as StringName, false, true) and row[1] != null:
			(row[1] as Control).grab_focus()
			field.accept_event()
