@tool
extends "res://addons/npc/editor/rows_page.gd"
## The page of an ordinary day in the form of a person.

const Known := preload("res://addons/npc/editor/known.gd")
const RoutineRow := preload("res://addons/npc/editor/routine_row.gd")
const ABOUT := "What they do on an ordinary day. The file has the entries in order of time."
## When somebody wakes and sleeps whose file does not say it.
const WAKE := "06:00"
const SLEEP := "22:00"

var wake := LineEdit.new()
var sleep := LineEdit.new()

var _first: Dictionary = {}


func _init(known: Known) -> void:
	var entries := FormRows.new(func() -> RoutineRow: return RoutineRow.new(known), "Add Entry", "Add something that they do every day.")
	super("Routine", ABOUT, entries, _build_hours())


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


func _build_hours() -> HBoxContainer:
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
	return hours
