@tool
extends VBoxContainer
## A row of a form, which stands for an item of a list in a persona file: fields, a button that removes it, and its problems.

## Emitted when something was changed by hand.
signal changed
## Emitted when the row is to go.
signal removed

const RowMessages := preload("res://addons/npc/editor/row_messages.gd")
## In what goes to npc-server, the item of the file that a row changes. Without it the item is new.
const ROW := "_row"

## Removes the row.
var remove_button := Button.new()
## What is wrong with it.
var messages := RowMessages.new()

var _number: int = -1


func _init() -> void:
	size_flags_horizontal = Control.SIZE_EXPAND_FILL
	add_theme_constant_override(&"separation", 0)
	remove_button.flat = true
	remove_button.size_flags_vertical = Control.SIZE_SHRINK_BEGIN
	remove_button.pressed.connect(func() -> void: removed.emit())


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		remove_button.icon = get_theme_icon(&"Remove", &"EditorIcons")


## Returns the first field, to type into.
func get_first() -> Control:
	return null


## Returns what the row holds, as an item of a persona file.
func to_item() -> Dictionary:
	return {ROW: _number} if _number >= 0 else {}


## Shows an item of a persona file.
func show_item(item: Dictionary) -> void:
	_number = item.get(ROW, -1) as int


## Returns [code]true[/code] for a new row into which nobody has typed.
func is_blank() -> bool:
	return false


## Tells with [signal changed] when a field was changed by hand.
func _watch(field: Control) -> void:
	if field is LineEdit:
		(field as LineEdit).text_changed.connect(func(_text: String) -> void: changed.emit())
	elif field is TextEdit:
		(field as TextEdit).text_changed.connect(func() -> void: changed.emit())
	elif field is SpinBox:
		(field as SpinBox).value_changed.connect(func(_value: float) -> void: changed.emit())
	elif field is OptionButton:
		(field as OptionButton).item_selected.connect(func(_item: int) -> void: changed.emit())
