@tool
extends ConfirmationDialog
## The form of a person, a new one or one of the project: who they are, their day, and what they offer. It makes the text of a
## persona file.

## Emitted with the path and the text of the file.
signal made(path: String, text: String)
## Emitted if the form of a file cannot be shown.
signal failed(file: String, why: String)
## Emitted when the file is to be opened instead.
signal opened(file: String)

const Known := preload("res://addons/npc/editor/known.gd")
const OffersPage := preload("res://addons/npc/editor/offers_page.gd")
const PersonaText := preload("res://addons/npc/editor/persona_text.gd")
const PersonFields := preload("res://addons/npc/editor/person_fields.gd")
const RoutinePage := preload("res://addons/npc/editor/routine_page.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const TextFile := preload("res://addons/npc/editor/text_file.gd")
## In which the form goes to npc-server.
const FORM_FILE := "res://.godot/npc/form.json"
const SIZE := Vector2(680, 600)
## How long nobody has to type before the form is checked, in seconds.
const CALM_S := 0.7
const CHECKING := "Checking…"
const OPEN := &"open"

## Who they are.
var fields: PersonFields
## Their day.
var routine: RoutinePage
## What they offer.
var offers := OffersPage.new()
## Why the person cannot be written yet.
var problem := Label.new()
## The pages.
var tabs := TabContainer.new()

var _known: Known
var _asker: ServerAsker
var _open_button: Button
var _folder: String = ""
## The file that is copied; empty otherwise.
var _copied: String = ""
## The file that is edited; empty for a new one.
var _edited: String = ""
## The number of the last question, because only its answer counts.
var _question: int = 0
var _calm := Timer.new()
## Whether npc-server reads a file for the form.
var _is_reading: bool = false
## Why the last answer says that the file cannot be written; empty if it can.
var _wrong: String = ""


func _init(known: Known, asker: ServerAsker) -> void:
	_known = known
	_asker = asker
	dialog_hide_on_ok = false
	fields = PersonFields.new(known)
	routine = RoutinePage.new(known)
	var column := VBoxContainer.new()
	tabs.size_flags_vertical = Control.SIZE_EXPAND_FILL
	for page: Control in [fields, routine, offers] as Array[Control]:
		tabs.add_child(page)
	column.add_child(tabs)
	problem.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	problem.custom_minimum_size.x = PersonFields.WIDTH * EditorInterface.get_editor_scale()
	column.add_child(problem)
	add_child(column)
	fields.changed.connect(_on_changed)
	routine.changed.connect(_on_changed)
	offers.changed.connect(_on_changed)
	_open_button = add_button("Open File", true, OPEN)
	_open_button.tooltip_text = "Close the form, and open the persona file as text."
	custom_action.connect(_on_custom)
	confirmed.connect(_on_confirmed)
	_calm.one_shot = true
	_calm.timeout.connect(_check_with_server)
	add_child(_calm)


## Opens the form for a new person of a folder.
func ask(folder: String) -> void:
	_open("New Person", folder, {})


## Opens the form for a person who is like another one but for the name.
func ask_copy(of: Dictionary, folder: String) -> void:
	_open("Copy of %s" % of["name"], folder, {}, of["file"] as String)


## Opens the form for a person of the project, once npc-server has read the file.
func ask_edit(of: Dictionary) -> void:
	var file := of["file"] as String
	if visible or _is_reading:
		return
	_is_reading = _asker.ask(["editor", "person", ProjectSettings.globalize_path(file)], _on_read.bind(file))
	if not _is_reading:
		failed.emit(file, "npc-server reads the file for the form, and there is none.")


func _on_read(answer: Dictionary, error: String, file: String) -> void:
	_is_reading = false
	if not error.is_empty():
		failed.emit(file, error)
		return
	var values := answer["values"] as Dictionary
	_open("Edit %s" % values["name"], file.get_base_dir(), values, "", file)
	_check_with_server()


func _open(called: String, folder: String, values: Dictionary, copied: String = "", edited: String = "") -> void:
	title = called
	ok_button_text = "Save" if not edited.is_empty() else "OK"
	_folder = folder
	_copied = copied
	_edited = edited
	_question += 1
	_wrong = ""
	_open_button.visible = not edited.is_empty()
	tabs.tabs_visible = copied.is_empty()
	tabs.current_tab = 0
	fields.show_person(values, copied.is_empty(), edited.is_empty())
	routine.show_person(values)
	offers.show_person(values)
	_show_marks([])
	problem.add_theme_color_override(&"font_color", get_theme_color(&"error_color", &"Editor"))
	_check()
	reset_size()
	popup_centered(Vector2i((SIZE if copied.is_empty() else Vector2.ZERO) * EditorInterface.get_editor_scale()))
	fields.full_name.grab_focus()


func _on_custom(action: StringName) -> void:
	if action == OPEN:
		hide()
		opened.emit(_edited)


func _on_changed() -> void:
	_question += 1
	_wrong = ""
	_check()
	if _needs_server():
		_calm.start(CALM_S)


## Shows why the person cannot be written, as far as the form knows it itself.
func _check() -> void:
	var taken := _edited.is_empty() and FileAccess.file_exists(_get_path())
	problem.text = fields.find_problem(taken, not _copied.is_empty())
	if problem.text.is_empty():
		problem.text = _wrong
	get_ok_button().disabled = not problem.text.is_empty()


## A new person without a day and offers is written without npc-server.
func _needs_server() -> bool:
	return not _edited.is_empty() or not routine.rows.list_filled().is_empty() or not offers.rows.list_filled().is_empty()


func _get_path() -> String:
	return _edited if not _edited.is_empty() else _folder.path_join(fields.id.text + ".yaml")


func _on_confirmed() -> void:
	if not _copied.is_empty():
		_finish(PersonaText.copy(FileAccess.get_file_as_string(_copied), fields.get_called(), fields.id.text))
	elif not _needs_server():
		_finish(_write())
	else:
		_ask_server(true)


func _finish(text: String) -> void:
	var path := _get_path()
	hide()
	made.emit(path, text)


func _write() -> String:
	return PersonaText.write(fields.to_values(), fields.id.text, str(_known.town.get("name", "this town")))


func _check_with_server() -> void:
	if visible and fields.find_problem(false, false).is_empty():
		_ask_server(false)


## Lets npc-server write and check the text. [param to_finish] writes the file if nothing is wrong.
func _ask_server(to_finish: bool) -> void:
	_calm.stop()  # its question would make that of the button an old one
	var form := {"values": routine.to_values().merged(offers.to_values())}
	if _edited.is_empty():
		form["text"] = _write()
	else:
		(form["values"] as Dictionary).merge(fields.to_changed_values())
	DirAccess.make_dir_recursive_absolute(FORM_FILE.get_base_dir())
	var file := FileAccess.open(FORM_FILE, FileAccess.WRITE)
	file.store_string(JSON.stringify(form))
	file.close()
	var words: PackedStringArray = ["editor", "person", ProjectSettings.globalize_path(_get_path())]
	words.append_array(["--form", ProjectSettings.globalize_path(FORM_FILE)])
	var town := NpcSettings.get_text(NpcSettings.TOWN)
	if FileAccess.file_exists(town):
		words.append_array(["--town", ProjectSettings.globalize_path(town)])
	if DirAccess.dir_exists_absolute(_folder):
		words.append_array(["--personas", ProjectSettings.globalize_path(_folder)])
	_question += 1
	if not _asker.ask(words, _on_answered.bind(_question, to_finish)):
		problem.text = "npc-server writes days and offers, and there is none."
		return
	if to_finish:
		problem.text = CHECKING
		get_ok_button().disabled = true


func _on_answered(answer: Dictionary, error: String, question: int, to_finish: bool) -> void:
	if question != _question or not visible:
		return
	var problems: Array[Dictionary] = []
	problems.assign(answer.get("problems", []) as Array)
	_wrong = error if not error.is_empty() else _show_problems(problems)
	_check()
	if to_finish and problem.text.is_empty():
		_finish(answer["text"] as String)


## Shows each problem where it is. Returns why the file cannot be written; empty if it can.
func _show_problems(problems: Array[Dictionary]) -> String:
	var of := func(keys: PackedStringArray) -> Array[Dictionary]:
		return problems.filter(func(it: Dictionary) -> bool: return str(it["key"]) in keys)
	routine.take(of.call(["routine", "wake", "sleep"] as PackedStringArray) as Array[Dictionary])
	offers.take(of.call(["offers"] as PackedStringArray) as Array[Dictionary])
	_show_marks(problems)
	var told := fields.take(problems)
	var wrong := problems.filter(func(it: Dictionary) -> bool: return not it["is_warning"])
	for page: Array in [["routine", routine], ["offers", offers]] as Array[Array]:
		var count := wrong.filter(func(it: Dictionary) -> bool: return _get_page(it) == page[1]).size()
		if count > 0:
			told.append("%d mistake%s on the page %s." % [count, "s" if count > 1 else "", (page[1] as Control).name])
	return "\n".join(told)


## Marks the pages that have mistakes.
func _show_marks(problems: Array[Dictionary]) -> void:
	for page: Control in [fields, routine, offers] as Array[Control]:
		var is_wrong := problems.any(func(it: Dictionary) -> bool: return not it["is_warning"] and _get_page(it) == page)
		tabs.set_tab_icon(tabs.get_tab_idx_from_control(page), get_theme_icon(&"StatusError", &"EditorIcons") if is_wrong else null)


func _get_page(of: Dictionary) -> Control:
	match str(of["key"]):
		"routine", "wake", "sleep":
			return routine
		"offers":
			return offers
	return fields if fields.LABELS.has(of["key"]) else null
