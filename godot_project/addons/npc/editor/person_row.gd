@tool
extends VBoxContainer
## A person in the dock: portrait, name, and what is wrong with the file.

## Emitted when the file is to be opened.
signal opened(file: String, line: int)
## Emitted when a person like this one is wanted.
signal copied(person: Dictionary)

const Portrait := preload("res://addons/npc/editor/portrait.gd")
const ProblemLine := preload("res://addons/npc/editor/problem_line.gd")
const FACE := 36.0

## The person.
var person: Dictionary
## Opens the file.
var open_button := Button.new()
## Makes a copy.
var copy_button := Button.new()

var _about := Label.new()


## Makes the row of a person with the problems of its file.
func _init(of: Dictionary, problems: Array[Dictionary]) -> void:
	person = of
	var row := HBoxContainer.new()
	row.add_child(Portrait.new(person, FACE * EditorInterface.get_editor_scale()))
	var words := VBoxContainer.new()
	words.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	words.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	words.add_theme_constant_override(&"separation", 0)
	var called := Label.new()
	called.text = person["name"]
	_about.text = _describe()
	for label: Label in [called, _about] as Array[Label]:
		label.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
		label.tooltip_text = "%s\n%s" % [person["id"], person["file"]]
		label.mouse_filter = Control.MOUSE_FILTER_STOP
		label.add_theme_constant_override(&"line_spacing", 0)
		words.add_child(label)
	row.add_child(words)
	open_button.tooltip_text = "Open the persona file."
	open_button.pressed.connect(func() -> void: opened.emit(person["file"], 1))
	copy_button.tooltip_text = "Make another person like this one."
	copy_button.pressed.connect(func() -> void: copied.emit(person))
	var buttons := HBoxContainer.new()
	buttons.add_theme_constant_override(&"separation", 0)
	for button: Button in [open_button, copy_button] as Array[Button]:
		button.flat = true
		buttons.add_child(button)
	row.add_child(buttons)
	add_child(row)
	for problem: Dictionary in problems:
		var line := ProblemLine.new(problem)
		line.pressed.connect(func() -> void: opened.emit(problem["file"], problem["line"]))
		add_child(line)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		open_button.icon = get_theme_icon(&"Edit", &"EditorIcons")
		copy_button.icon = get_theme_icon(&"Duplicate", &"EditorIcons")
		_about.add_theme_color_override(&"font_color", Color(get_theme_color(&"font_color", &"Editor"), 0.65))


func _describe() -> String:
	var told := PackedStringArray()
	if person.has("age"):
		told.append(str(person["age"] as int))
	told.append_array(PackedStringArray(person.get("traits", []) as Array))
	return ", ".join(told) if not told.is_empty() else (person["file"] as String).get_file()
