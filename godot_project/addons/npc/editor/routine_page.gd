@tool
extends VBoxContainer
## The page of an ordinary day in the form of a person.

## Emitted when something was changed by hand.
signal changed

const FormRows := preload("res://addons/npc/editor/form_rows.gd")
const Known := preload("res://addons/npc/editor/known.gd")
const RoutineRow := preload("res://addons/npc/editor/routine_row.gd")
const RowMessages := preload("res://addons/npc/editor/row_messages.gd")
const WIDTH := 560.0
const ABOUT := "What they do on an ordinary day. The file has the entries in order of time."
## When somebody wakes and sleeps whose file does not say it.
const WAKE := "06:00"
const SLEEP := "22:00"

var wake := LineEdit.new()
var sleep := LineEdit.new()
## The entries.
var rows: FormRows
## What is wrong, but with no row.
var messages := RowMessages.new()

var _first: Dictionary = {}


func _init(known: Known) -> void:
	name = "Routine"
	var about := Label.new()
	about.text = ABOUT
	about.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	# A label that wraps is as high as it is when narrow, unless it has a width from the start.
	for wrapped: Control in [about, messages] as Array[Control]:
		wrapped.custom_minimum_size.x = WIDTH * EditorInterface.get_editor_scale()
	add_child(about)
	var hours := HBoxContainer.new()
	for row: Array in (
		[["Wakes at", wake, "When they wake."], ["Sleeps at", sleep, "When they go to bed; after midnight is fine."]] as Array[Array]
	):
		var label := Label.new()
		label.text = row[0]
		var field := row[1] as LineEdit
		field.tooltip_text = row[2]
		field.custom_minimum_size.x = RoutineRow.TIME_WIDTH * EditorInterface.get_editor_scale()
		field.text_changed.connect(func(_text: String) -> void: changed.emit())
		hours.add_child(label)
		hours.add_child(field)
	add_child(hours)
	add_child(messages)
	var scroll := ScrollContainer.new()
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	rows = FormRows.new(func() -> RoutineRow: return RoutineRow.new(known), "Add Entry", "Add something that they do every day.")
	rows.changed.connect(func() -> void: changed.emit())
	scroll.add_child(rows)
	add_child(scroll)


## Shows a person's day.
func show_person(values: Dictionary) -> void:
	_first = {"wake": values.get("wake", WAKE), "sleep": values.get("sleep", SLEEP)}
	wake.text = _first["wake"]
	sleep.text = _first["sleep"]
	rows.show_items(values.get("routine", []) as Array)
	take([])


## Returns what the page holds, as keys of a persona file.
func to_values() -> Dictionary:
	var told := {"routine": rows.to_items()}
	for key: String in _first:
		var text := ((wake if key == "wake" else sleep) as LineEdit).text.strip_edges()
		if text != _first[key]:
			told[key] = text
	return told


## Shows the problems of this page.
func take(problems: Array[Dictionary]) -> void:
	messages.take(rows.take(problems))
