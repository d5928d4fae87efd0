@tool
extends RefCounted
## A written or deleted file as an action that can be undone. It needs no dock, so that undo works when the addon is disabled.

const TextFile := preload("res://addons/npc/editor/text_file.gd")

var _path: String = ""
var _before: String = ""
var _was_there: bool = false
var _after: String = ""
var _is_gone: bool = false
## Whether the file is the town file, which the project settings name.
var _is_town: bool = false
## The project setting before.
var _setting: String = ""


## Writes the town file with undo in the history of a scene.
static func commit_town(path: String, text: String, scene_root: Node) -> void:
	var undo := EditorInterface.get_editor_undo_redo()
	undo.create_action("Write the town file", UndoRedo.MERGE_DISABLE, scene_root)
	add_town(undo, path, text)
	undo.commit_action()


## Adds the writing of the town file to an action.
static func add_town(undo: EditorUndoRedoManager, path: String, text: String) -> void:
	var file := _make(path, text)
	file._is_town = true
	file._setting = NpcSettings.get_text(NpcSettings.TOWN)
	undo.add_do_method(file, &"put")
	undo.add_undo_method(file, &"take_back")


## Writes a file, or with [param is_gone] moves it to the trash of the system, with undo in the history of the editor.
static func commit(called: String, path: String, text: String, is_gone: bool = false) -> void:
	var file := _make(path, text)
	file._is_gone = is_gone
	var undo := EditorInterface.get_editor_undo_redo()
	undo.create_action(called)
	undo.add_do_method(file, &"put")
	undo.add_undo_method(file, &"take_back")
	undo.commit_action()


static func _make(path: String, text: String) -> RefCounted:
	var file := new()
	file._path = path
	file._was_there = FileAccess.file_exists(path)
	file._before = FileAccess.get_file_as_string(path) if file._was_there else ""
	file._after = text
	return file


## Writes the file, or moves it to the trash.
func put() -> void:
	if _is_gone:
		_move_to_trash()
		return
	_report(TextFile.write(_path, _after))
	_name(_path)


## Writes what was there before, unless somebody has changed the file since.
func take_back() -> void:
	if FileAccess.file_exists(_path) == _is_gone or (not _is_gone and FileAccess.get_file_as_string(_path) != _after):
		_report("%s was changed after it was written, so undo leaves it as it is." % _path)
	elif _was_there:
		_report(TextFile.write(_path, _before))
	else:
		DirAccess.remove_absolute(_path)
		EditorInterface.get_resource_filesystem().scan.call_deferred()
	_name(_setting)


func _move_to_trash() -> void:
	var error := OS.move_to_trash(ProjectSettings.globalize_path(_path))
	if error != OK:
		_report("%s cannot be moved to the trash: %s. Delete it in the FileSystem dock." % [_path, error_string(error)])
	EditorInterface.get_resource_filesystem().scan.call_deferred()


func _name(path: String) -> void:
	if _is_town and NpcSettings.get_text(NpcSettings.TOWN) != path:
		ProjectSettings.set_setting(NpcSettings.TOWN, path)
		ProjectSettings.save()


static func _report(problem: String) -> void:
	if not problem.is_empty():
		push_warning(problem)
