@tool
extends VBoxContainer
## The people of the project, and what is wrong with their files.

## Emitted when a persona file has been written.
signal written

const Known := preload("res://addons/npc/editor/known.gd")
const References := preload("res://addons/npc/editor/references.gd")
const PersonRow := preload("res://addons/npc/editor/person_row.gd")
const PersonForm := preload("res://addons/npc/editor/person_form.gd")
const ProblemLine := preload("res://addons/npc/editor/problem_line.gd")
const ScenePeople := preload("res://addons/npc/editor/scene_people.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const TextFile := preload("res://addons/npc/editor/text_file.gd")
const WrittenFile := preload("res://addons/npc/editor/written_file.gd")
## Files that are persona files already. Others are cards of people, which the server turns into persona files.
const OWN_ENDINGS: PackedStringArray = ["yaml", "yml"]
const CARD_ENDINGS: PackedStringArray = ["json", "png", "charx"]
## Seconds between two looks at the scene.
const LOOK_S := 0.5
## Where persona files go in a project that has none yet.
const FIRST_FOLDER := "res://people/personas"

## Opens the form.
var new_button := Button.new()
## Opens the dialog for files.
var import_button := Button.new()
## The form of a person.
var form: PersonForm
## Asks before a person is deleted.
var question := ConfirmationDialog.new()
## What went wrong, or was done.
var message := Label.new()

var _known: Known
var _asker: ServerAsker
var _rows := VBoxContainer.new()
var _files: EditorFileDialog
var _wait_s: float = 0.0
## Who is to be deleted.
var _doomed: Dictionary = {}


func _init(known: Known, asker: ServerAsker) -> void:
	name = "People"
	_known = known
	_asker = asker
	form = PersonForm.new(known, asker)
	form.made.connect(_on_made)
	form.failed.connect(func(file: String, why: String) -> void: tell("%s has no form. %s" % [file, why]))
	form.opened.connect(TextFile.open)
	add_child(form)
	question.title = "Delete a Person"
	question.ok_button_text = "Move to Trash"
	question.dialog_autowrap = true
	question.confirmed.connect(_delete)
	add_child(question)
	var tools := HBoxContainer.new()
	new_button.text = "New Person…"
	new_button.tooltip_text = "Write a persona file from a form."
	new_button.pressed.connect(func() -> void: form.ask(get_folder()))
	import_button.text = "Import…"
	import_button.tooltip_text = "Add a persona file, or a character card (JSON, PNG or CHARX). You can also drop one here."
	import_button.pressed.connect(_choose_file)
	tools.add_child(new_button)
	tools.add_child(import_button)
	add_child(tools)
	message.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	message.hide()
	add_child(message)
	var scroll := ScrollContainer.new()
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_rows.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_rows.add_theme_constant_override(&"separation", int(10 * EditorInterface.get_editor_scale()))
	scroll.add_child(_rows)
	add_child(scroll)
	known.changed.connect(_show_people)


func _process(delta: float) -> void:
	_wait_s -= delta
	if _wait_s <= 0.0 and is_visible_in_tree():
		mark_people()


func _exit_tree() -> void:
	if get_window() != null and get_window().files_dropped.is_connected(_on_files_dropped):
		get_window().files_dropped.disconnect(_on_files_dropped)


func _enter_tree() -> void:
	get_window().files_dropped.connect(_on_files_dropped)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		new_button.icon = get_theme_icon(&"Add", &"EditorIcons")
		import_button.icon = get_theme_icon(&"Load", &"EditorIcons")


func _can_drop_data(_at: Vector2, data: Variant) -> bool:
	return not _list_dropped(data).is_empty()


func _drop_data(_at: Vector2, data: Variant) -> void:
	for file: String in _list_dropped(data):
		import_file(file)


## Returns the folder of the persona files. A project that names none gets one.
func get_folder() -> String:
	var folder := NpcSettings.get_text(NpcSettings.PERSONAS)
	return folder if not folder.is_empty() else FIRST_FOLDER


## Adds a persona file or a character card to the project's people.
func import_file(file: String) -> void:
	if file.get_extension().to_lower() in OWN_ENDINGS:
		var target := get_folder().path_join(file.get_file())
		if FileAccess.file_exists(target):
			tell("There is a file %s already. Rename the new one." % target)
		elif FileAccess.get_file_as_bytes(file).is_empty():
			tell("The file %s cannot be read, or is empty." % file)
		else:
			_on_made(target, FileAccess.get_file_as_string(file))
		return
	DirAccess.make_dir_recursive_absolute(get_folder())
	var words: PackedStringArray = ["persona", "import", ProjectSettings.globalize_path(file)]
	words.append_array(["--to", ProjectSettings.globalize_path(get_folder())])
	tell("Importing %s…" % file.get_file())
	if not _asker.ask(words, _on_imported.bind(file)):
		tell("A card needs npc-server to become a persona file, and there is none.")


## Gives somebody a body in the open scene, and selects it.
func add_to_scene(person: Dictionary) -> void:
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		tell("Open a scene first.")
		return
	var body := ScenePeople.add(person, root)
	EditorInterface.get_selection().clear()
	EditorInterface.get_selection().add_node(body)
	EditorInterface.edit_node(body)
	tell("%s is in the scene. Add a sprite or a model under the body '%s'." % [person["name"], body.name])
	mark_people()


## Asks whether a person is to be deleted, and says what refers to it.
func ask_to_delete(person: Dictionary) -> void:
	_doomed = person
	var told := PackedStringArray(["%s goes to the trash. You can undo it." % person["file"]])
	told.append(References.tell("%s is also named in:" % person["name"], _list_references(person)))
	told.append(
		"Games that were saved before keep the person." if told[1].is_empty() else "These stay as they are, so correct them afterwards."
	)
	question.dialog_text = "\n\n".join(Array(told).filter(func(it: String) -> bool: return not it.is_empty()))
	question.reset_size()
	question.popup_centered(Vector2i(Vector2(440, 0) * EditorInterface.get_editor_scale()))


## Shows who has no body in the scene that is open.
func mark_people() -> void:
	_wait_s = LOOK_S
	var root := EditorInterface.get_edited_scene_root()
	var there := ScenePeople.list_ids(root)
	for row: Node in _rows.get_children():
		if row is PersonRow:
			(row as PersonRow).mark(root != null, (row as PersonRow).person["id"] in there)


## Shows a sentence above the people; hides it if it is empty.
func tell(text: String) -> void:
	message.text = text
	message.visible = not text.is_empty()


func _show_people() -> void:
	for row: Node in _rows.get_children():
		row.queue_free()
		_rows.remove_child(row)
	var shown := PackedStringArray()
	for person: Dictionary in _known.people:
		var row := PersonRow.new(person, _known.find_problems(person["file"] as String))
		row.opened.connect(TextFile.open)
		row.edited.connect(form.ask_edit)
		row.deleted.connect(ask_to_delete)
		row.copied.connect(func(of: Dictionary) -> void: form.ask_copy(of, get_folder()))
		row.wanted_in_scene.connect(add_to_scene)
		_rows.add_child(row)
		shown.append(person["file"] as String)
	for problem: Dictionary in _known.problems:
		if not problem["file"] in shown and problem["file"] != NpcSettings.get_text(NpcSettings.TOWN):
			var line := ProblemLine.new(problem)
			line.text = "%s: %s" % [(problem["file"] as String).get_file(), line.text]
			line.pressed.connect(TextFile.open.bind(problem["file"], problem["line"]))
			_rows.add_child(line)
	mark_people()
	if _known.people.is_empty():
		var empty := Label.new()
		empty.text = "Nobody yet. Make a person with the form, or drop a persona file here."
		empty.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		_rows.add_child(empty)


func _on_made(path: String, text: String) -> void:
	if NpcSettings.get_text(NpcSettings.PERSONAS).is_empty():
		ProjectSettings.set_setting(NpcSettings.PERSONAS, get_folder())
		ProjectSettings.save()
	WrittenFile.commit("Write %s" % path.get_file(), path, text)
	tell("" if FileAccess.get_file_as_string(path) == text else "The file %s cannot be written." % path)
	written.emit()


func _delete() -> void:
	var file := _doomed["file"] as String
	WrittenFile.commit("Delete %s" % file.get_file(), file, "", true)
	if FileAccess.file_exists(file):
		tell("%s cannot be moved to the trash. Delete it in the FileSystem dock." % file)
	else:
		tell("%s is in the trash. Undo brings it back." % file.get_file())
	written.emit()


## Where else the person is named: in the town file, in other persona files, and in scenes.
func _list_references(person: Dictionary) -> PackedStringArray:
	var id := person["id"] as String
	var found := PackedStringArray()
	for other: Dictionary in _known.people:
		if other["id"] != id and id in (other.get("relations", []) as Array):
			found.append("the relations of %s" % other["name"])
	for mention: Dictionary in _known.town.get("people", []) as Array:
		if mention["id"] == id:
			found.append("the town file, line %d: %s" % [mention["line"] as int, mention["what"]])
	for scene: String in References.list_scenes(['persona_id = "%s"' % id]):
		found.append("the scene %s" % scene)
	return found


func _on_imported(answer: Dictionary, error: String, file: String) -> void:
	tell("%s was not imported. %s" % [file.get_file(), error] if not error.is_empty() else str(answer.get("said", "")).strip_edges())
	EditorInterface.get_resource_filesystem().scan.call_deferred()
	written.emit()


func _choose_file() -> void:
	if _files == null:
		_files = EditorFileDialog.new()
		_files.file_mode = EditorFileDialog.FILE_MODE_OPEN_FILE
		_files.access = EditorFileDialog.ACCESS_FILESYSTEM
		_files.title = "Import a Person"
		_files.add_filter("*.yaml,*.yml", "Persona files")
		_files.add_filter("*.json,*.png,*.charx", "Character cards")
		_files.file_selected.connect(import_file)
		add_child(_files)
	_files.popup_file_dialog()


func _list_dropped(data: Variant) -> PackedStringArray:
	var found := PackedStringArray()
	if data is Dictionary and (data as Dictionary).get("type") == "files":
		for file: String in (data as Dictionary)["files"] as PackedStringArray:
			if file.get_extension().to_lower() in OWN_ENDINGS + CARD_ENDINGS:
				found.append(file)
	return found


## Files from outside of Godot, which are dropped on its window.
func _on_files_dropped(files: PackedStringArray) -> void:
	if is_visible_in_tree() and get_global_rect().has_point(get_global_mouse_position()):
		_drop_data(Vector2.ZERO, {"type": "files", "files": files})
