@tool
extends RefCounted
## A town file as an action that can be undone. It needs no dock, so that undo works when the addon is disabled.

const TextFile := preload("res://addons/npc/editor/text_file.gd")

var _path: String = ""
var _before: String = ""
var _was_there: bool = false
var _after: String = ""
## The project setting before.
var _setting: String = ""


## Writes a file with undo in the history of a scene.
static func commit(path: String, text: String, scene_root: Node) -> void:
	var file := new()
	file._path = path
	file._was_there = FileAccess.file_exists(path)
	file._before = FileAccess.get_file_as_string(path) if file._was_there else ""
	file._after = text
	file._setting = NpcSettings.get_text(NpcSettings.TOWN)
	var undo := EditorInterface.get_editor_undo_redo()
	undo.create_action("Write the town file", UndoRedo.MERGE_DISABLE, scene_root)
	undo.add_do_method(file, &"put")
	undo.add_undo_method(file, &"take_back")
	undo.commit_action()


## Writes the file, and names it in the project settings.
func put() -> void:
	_report(TextFile.write(_path, _after))
	_name(_path)


## Writes what was there before, unless somebody has changed the file since.
func take_back() -> void:
	if FileAccess.get_file_as_string(_path) != _after:
		_report("%s was changed after it was written, so undo leaves it as it is." % _path)
	elif _was_there:
		_report(TextFile.write(_path, _before))
	else:
		DirAccess.remove_absolute(_path)
		EditorInterface.get_resource_filesystem().scan.call_deferred()
	_name(_setting)


func _name(path: String) -> void:
	if NpcSettings.get_text(NpcSettings.TOWN) != path:
		ProjectSettings.set_setting(NpcSettings.TOWN, path)
		ProjectSettings.save()


static func _report(problem: String) -> void:
	if not problem.is_empty():
		push_warning(problem)
