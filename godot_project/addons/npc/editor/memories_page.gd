@tool
extends VBoxContainer
## The memories of the people in a save of the project, to add, edit and delete some while no game plays it.

const MemoryDialog := preload("res://addons/npc/editor/memory_dialog.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const ENDING := "npcsave"
## What the history of a memory says about who changed it.
const BY := "editor"
const HEADS: PackedStringArray = ["When", "Memory", "Importance"]

## Chooses the save.
var saves := OptionButton.new()
## Chooses the person.
var people := OptionButton.new()
## Reads the save again.
var reload_button := Button.new()
## Opens the dialog for a new memory.
var add_button := Button.new()
## Opens the dialog for the selected memory.
var edit_button := Button.new()
## Opens the question whether the selected memory is to go.
var delete_button := Button.new()
## The memories, the newest at the top.
var tree := Tree.new()
## Asks for a text and an importance.
var dialog := MemoryDialog.new()
## Asks before a memory is deleted.
var question := ConfirmationDialog.new()
## What was done, or went wrong.
var message := Label.new()

var _asker: ServerAsker
var _person: String = ""
var _has_read: bool = false
var _done: String = ""


func _init(asker: ServerAsker) -> void:
	name = "Memories"
	_asker = asker
	var choices := HBoxContainer.new()
	for choice: OptionButton in [saves, people] as Array[OptionButton]:
		choice.size_flags_horizontal = Control.SIZE_EXPAND_FILL
		choice.clip_text = true
		choices.add_child(choice)
	saves.tooltip_text = "The save. No game may play it while you change it."
	people.tooltip_text = "Whose memories are listed."
	reload_button.tooltip_text = "Read the save again."
	choices.add_child(reload_button)
	add_child(choices)
	var tools := HFlowContainer.new()
	for row: Array in [[add_button, "Add…", _ask_to_add], [edit_button, "Edit…", _ask_to_edit], [delete_button, "Delete…", _ask_to_delete]]:
		(row[0] as Button).text = row[1]
		(row[0] as Button).pressed.connect(row[2] as Callable)
		tools.add_child(row[0] as Button)
	add_child(tools)
	message.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	message.hide()
	add_child(message)
	_build_tree()
	question.title = "Delete a Memory"
	question.ok_button_text = "Delete"
	question.confirmed.connect(_delete)
	question.dialog_autowrap = true
	add_child(question)
	dialog.given.connect(_change)
	add_child(dialog)
	saves.item_selected.connect(func(_item: int) -> void: read())
	people.item_selected.connect(_on_person_selected)
	reload_button.pressed.connect(list_saves)
	visibility_changed.connect(_on_shown)
	_allow()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		reload_button.icon = get_theme_icon(&"Reload", &"EditorIcons")
		add_button.icon = get_theme_icon(&"Add", &"EditorIcons")
		edit_button.icon = get_theme_icon(&"Edit", &"EditorIcons")
		delete_button.icon = get_theme_icon(&"Remove", &"EditorIcons")


## Lists the project's saves, the newest first, and reads the one that is chosen.
func list_saves() -> void:
	var folder := NpcSettings.get_text(NpcSettings.SAVE_FOLDER)
	var files := Array(DirAccess.get_files_at(folder) if DirAccess.dir_exists_absolute(folder) else PackedStringArray())
	files = files.filter(func(file: String) -> bool: return file.get_extension() == ENDING)
	var age := func(file: String) -> int: return FileAccess.get_modified_time(folder.path_join(file))
	files.sort_custom(func(one: String, other: String) -> bool: return age.call(one) > age.call(other))
	var chosen := saves.text
	saves.clear()
	for file: String in files:
		saves.add_item(file.get_basename())
		if file.get_basename() == chosen:
			saves.select(saves.item_count - 1)
	_has_read = true
	if files.is_empty():
		tree.clear()
		people.clear()
		tell("There is no save yet. Play the game and save it.")
	else:
		read()
	_allow()


## Reads the memories of the chosen person from the chosen save.
func read() -> void:
	var words: PackedStringArray = ["editor", "memories", get_save()]
	if not _person.is_empty():
		words.append(_person)
	tell("Reading…")
	if not _asker.ask(words, _on_read):
		tell("npc-server reads the saves, and there is none.")


## Returns the file of the chosen save.
func get_save() -> String:
	var folder := NpcSettings.get_text(NpcSettings.SAVE_FOLDER)
	return ProjectSettings.globalize_path(folder).path_join("%s.%s" % [saves.text, ENDING])


## Returns the selected memory; empty if there is none.
func get_selected() -> Dictionary:
	var item := tree.get_selected()
	return item.get_metadata(0) as Dictionary if item != null else {}


## Shows a sentence above the memories; hides it if it is empty.
func tell(text: String) -> void:
	message.text = text
	message.visible = not text.is_empty()


func _build_tree() -> void:
	tree.size_flags_vertical = Control.SIZE_EXPAND_FILL
	tree.hide_root = true
	tree.select_mode = Tree.SELECT_ROW
	tree.columns = HEADS.size()
	tree.column_titles_visible = true
	for i: int in HEADS.size():
		tree.set_column_title(i, HEADS[i])
		tree.set_column_expand(i, i == 1)
		tree.set_column_clip_content(i, i == 1)
	tree.item_selected.connect(_allow)
	tree.item_activated.connect(_ask_to_edit)
	add_child(tree)


func _on_shown() -> void:
	if is_visible_in_tree() and not _has_read:
		list_saves()


func _on_person_selected(item: int) -> void:
	_person = people.get_item_metadata(item)
	read()


func _on_read(answer: Dictionary, problem: String) -> void:
	if not problem.is_empty() and not _person.is_empty() and _done.is_empty():
		# Somebody else may live in another save.
		_person = ""
		read()
		return
	tell(problem if not problem.is_empty() else _done)
	_done = ""
	tree.clear()
	people.clear()
	_person = str(answer.get("person", ""))
	for person: Dictionary in answer.get("people", []) as Array:
		people.add_item(str(person["name"]))
		people.set_item_metadata(people.item_count - 1, person["id"])
		if person["id"] == _person:
			people.select(people.item_count - 1)
	var top := tree.create_item()
	for memory: Dictionary in answer.get("memories", []) as Array:
		_add_item(top, memory)
	_allow()


func _add_item(top: TreeItem, memory: Dictionary) -> void:
	var item := top.create_child()
	item.set_metadata(0, memory)
	item.set_text(0, str(memory["at"]))
	item.set_text(1, str(memory["text"]))
	item.set_text(2, str(memory["importance"] as int))
	var told := PackedStringArray([str(memory["text"]), "%s, %s, number %d" % [memory["kind"], memory["source"], memory["id"] as int]])
	if not str(memory["key"]).is_empty():
		told.append("key: %s" % memory["key"])
	if not str(memory["doubt"]).is_empty():
		told.append("In doubt: %s" % memory["doubt"])
		item.set_custom_color(1, get_theme_color(&"warning_color", &"Editor"))
	item.set_tooltip_text(1, "\n".join(told))


func _allow() -> void:
	add_button.disabled = _person.is_empty()
	edit_button.disabled = get_selected().is_empty()
	delete_button.disabled = get_selected().is_empty()


func _ask_to_add() -> void:
	dialog.ask(people.text, {})


func _ask_to_edit() -> void:
	dialog.ask(people.text, get_selected())


func _ask_to_delete() -> void:
	question.dialog_text = (
		"%s forgets: %s\n\nWhat was concluded from it stays in the save, marked as in doubt. This cannot be undone."
		% [people.text, get_selected()["text"]]
	)
	question.popup_centered(Vector2i(Vector2(420, 0) * EditorInterface.get_editor_scale()))


func _delete() -> void:
	_ask(["memory", "delete", get_save(), _person, str(get_selected()["id"] as int)])


## Adds a memory, or edits one if [param id] is not 0.
func _change(id: int, text: String, importance: int, everybody: bool) -> void:
	var words: PackedStringArray = ["memory", "edit", get_save(), _person, str(id), "--text", text]
	if id == 0:
		words = ["memory", "add", get_save(), text]
		words.append_array(["--everybody"] if everybody else ["--for", _person])
	if importance > 0:
		words.append_array(["--importance", str(importance)])
	_ask(words)


func _ask(words: PackedStringArray) -> void:
	words.append_array(["--by", BY])
	tell("Changing the save…")
	if not _asker.ask(words, _on_changed):
		tell("npc-server changes the saves, and there is none.")


func _on_changed(answer: Dictionary, problem: String) -> void:
	if not problem.is_empty():
		tell("Nothing was changed. %s" % problem)
		return
	_done = str(answer.get("said", "")).strip_edges()
	read()
