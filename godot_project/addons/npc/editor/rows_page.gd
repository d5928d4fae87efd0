@tool
extends VBoxContainer
## A page of rows in the form of a person, below a sentence that says what they are.

## Emitted when something was changed by hand.
signal changed

const FormRows := preload("res://addons/npc/editor/form_rows.gd")
const RowMessages := preload("res://addons/npc/editor/row_messages.gd")
const WIDTH := 560.0

## The rows.
var rows: FormRows
## What is wrong, but with no row.
var messages := RowMessages.new()


## Makes the page of some rows. [param head] stands above them.
func _init(called: String, about_text: String, of: FormRows, head: Control = null) -> void:
	name = called
	var about := Label.new()
	about.text = about_text
	about.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	# A label that wraps is as high as it is when narrow, unless it has a width from the start.
	for wrapped: Control in [about, messages] as Array[Control]:
		wrapped.custom_minimum_size.x = WIDTH * EditorInterface.get_editor_scale()
	add_child(about)
	if head != null:
		add_child(head)
	add_child(messages)
	var scroll := ScrollContainer.new()
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	rows = of
	rows.changed.connect(func() -> void: changed.emit())
	scroll.add_child(rows)
	add_child(scroll)


## Shows the problems of this page.
func take(problems: Array[Dictionary]) -> void:
	messages.take(rows.take(problems))
