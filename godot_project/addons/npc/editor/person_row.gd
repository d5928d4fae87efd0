@tool
extends VBoxContainer
## A person in the dock: portrait, name, and what is wrong with the file.

## Emitted when the file is to be opened.
signal opened(file: String, line: int)
## Emitted when the form of the person is wanted.
signal edited(person: Dictionary)
## Emitted when a person like this one is wanted.
signal copied(person: Dictionary)
## Emitted when the person is to go.
signal deleted(person: Dictionary)
## Emitted when the person is to get a body in the open scene.
signal wanted_in_scene(person: Dictionary)

## The entries of the context menu.
enum Entry { ADD, EDIT, OPEN, COPY, DELETE }

const Portrait := preload("res://addons/npc/editor/portrait.gd")
const ProblemLine := preload("res://addons/npc/editor/problem_line.gd")
const FACE := 36.0

## The person.
var person: Dictionary
## Opens the form.
var edit_button := Button.new()
## Makes a copy.
var copy_button := Button.new()
## Deletes the person.
var delete_button := Button.new()
## Adds a body to the open scene. It is only shown if the scene has none.
var scene_button := Button.new()
## The context menu.
var menu := PopupMenu.new()

var _about := Label.new()
var _called := Label.new()


## Makes the row of a person with the problems of its file.
func _init(of: Dictionary, problems: Array[Dictionary]) -> void:
	person = of
	var row := HBoxContainer.new()
	row.add_child(Portrait.new(person, FACE * EditorInterface.get_editor_scale()))
	var words := VBoxContainer.new()
	words.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	words.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	words.add_theme_constant_override(&"separation", 0)
	_called.text = person["name"]
	_about.text = _describe()
	for label: Label in [_called, _about] as Array[Label]:
		label.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
		label.mouse_filter = Control.MOUSE_FILTER_PASS
		label.add_theme_constant_override(&"line_spacing", 0)
		words.add_child(label)
	row.add_child(words)
	scene_button.pressed.connect(func() -> void: wanted_in_scene.emit(person))
	edit_button.tooltip_text = "Edit the person in a form."
	edit_button.pressed.connect(func() -> void: edited.emit(person))
	copy_button.tooltip_text = "Make another person like this one."
	copy_button.pressed.connect(func() -> void: copied.emit(person))
	delete_button.tooltip_text = "Move the persona file to the trash."
	delete_button.pressed.connect(func() -> void: deleted.emit(person))
	var buttons := HBoxContainer.new()
	buttons.add_theme_constant_override(&"separation", 0)
	for button: Button in [scene_button, edit_button, copy_button, delete_button] as Array[Button]:
		button.flat = true
		buttons.add_child(button)
	row.add_child(buttons)
	add_child(row)
	_build_menu()
	mark(false, false)
	for problem: Dictionary in problems:
		var line := ProblemLine.new(problem)
		line.pressed.connect(func() -> void: opened.emit(problem["file"], problem["line"]))
		add_child(line)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		scene_button.icon = get_theme_icon(&"Add", &"EditorIcons")
		edit_button.icon = get_theme_icon(&"Edit", &"EditorIcons")
		copy_button.icon = get_theme_icon(&"Duplicate", &"EditorIcons")
		delete_button.icon = get_theme_icon(&"Remove", &"EditorIcons")
		_about.add_theme_color_override(&"font_color", Color(get_theme_color(&"font_color", &"Editor"), 0.65))


func _gui_input(event: InputEvent) -> void:
	var click := event as InputEventMouseButton
	if click != null and click.pressed and click.button_index == MOUSE_BUTTON_RIGHT:
		menu.popup(Rect2i(Vector2i(get_screen_position() + click.position), Vector2i.ZERO))
		accept_event()


## Shows whether a scene is open, and whether the person has a body in it.
func mark(is_scene_open: bool, has_body: bool) -> void:
	var note := "\nNo body in the open scene." if is_scene_open and not has_body else ""
	scene_button.visible = not note.is_empty()
	scene_button.tooltip_text = "Add to Scene. %s has no body in the open scene." % person["name"]
	menu.set_item_disabled(Entry.ADD, note.is_empty())
	for label: Label in [_called, _about] as Array[Label]:
		label.tooltip_text = "%s\n%s%s" % [person["id"], person["file"], note]


func _build_menu() -> void:
	for text: String in ["Add to Scene", "Edit…", "Open File", "Make a Copy…", "Delete…"] as Array[String]:
		menu.add_item(text)
	menu.index_pressed.connect(_on_chosen)
	add_child(menu, false, INTERNAL_MODE_BACK)


func _on_chosen(entry: int) -> void:
	match entry:
		Entry.ADD:
			wanted_in_scene.emit(person)
		Entry.EDIT:
			edited.emit(person)
		Entry.OPEN:
			opened.emit(person["file"], 1)
		Entry.COPY:
			copied.emit(person)
		Entry.DELETE:
			deleted.emit(person)


func _describe() -> String:
	var told := PackedStringArray()
	if person.has("age"):
		told.append(str(person["age"] as int))
	told.append_array(PackedStringArray(person.get("traits", []) as Array))
	return ", ".join(told) if not told.is_empty() else (person["file"] as String).get_file()
