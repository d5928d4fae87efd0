@tool
extends RefCounted
## Opens files of text in the editor, and names new ones.


## Opens a file in the script editor, at a line that counts from 1. A file outside of the project opens as the system does it.
static func open(path: String, line: int = 1) -> void:
	if not path.begins_with("res://") or not _activate(path):
		OS.shell_open(ProjectSettings.globalize_path(path))
		return
	EditorInterface.set_main_screen_editor("Script")
	EditorInterface.get_script_editor().goto_line(maxi(line - 1, 0))


## Returns an id made of a name: lower-case letters, digits and "_".
static func make_id(from: String) -> String:
	var id := ""
	for letter: String in from.to_lower():
		id += letter if letter in "abcdefghijklmnopqrstuvwxyz0123456789" else "_"
	while id.contains("__"):
		id = id.replace("__", "_")
	id = id.strip_edges().trim_prefix("_").trim_suffix("_").left(50)
	return id if not id.is_empty() and not id[0].is_valid_int() else "person_%s" % id if not id.is_empty() else "person"


## Returns a value as YAML that every reader takes for text.
static func quote(text: String) -> String:
	return JSON.stringify(text)


## Writes a file, and lets the FileSystem dock find it. Returns why it could not; empty if it could.
static func write(path: String, text: String) -> String:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		return "The file %s cannot be written: %s." % [path, error_string(FileAccess.get_open_error())]
	file.store_string(text)
	file.close()
	EditorInterface.get_resource_filesystem().scan.call_deferred()
	return ""


## Double-clicks the file in the FileSystem dock, because no call of Godot opens a file that is no resource.
static func _activate(path: String) -> bool:
	EditorInterface.select_file(path)
	for found: Node in EditorInterface.get_file_system_dock().find_children("*", "Tree", true, false):
		var tree := found as Tree
		var selected := tree.get_selected()
		if selected != null and str(selected.get_metadata(0)) == path:
			tree.item_activated.emit()
			return true
	return false
