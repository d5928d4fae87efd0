@tool
extends "res://addons/probe/hands.gd"
## Finds the parts of the dock "Minds", and what they show.

const PEOPLE := "res://people/personas/"

var _dock: Control


func _find_dock() -> void:
	_dock = null
	while _dock == null:
		await get_tree().process_frame
		for found: Node in EditorInterface.get_base_control().find_children("Minds", "VBoxContainer", true, false):
			if found.get_script() != null and (found.get_script() as Script).resource_path.ends_with("minds_dock.gd"):
				_dock = found as Control
	_show_tab_of(_dock)


func _show_tab_of(control: Control) -> void:
	var inside: Node = control
	while inside.get_parent() != null:
		var tabs := inside.get_parent() as TabContainer
		if tabs != null and inside is Control:
			tabs.current_tab = tabs.get_tab_idx_from_control(inside as Control)
			return
		inside = inside.get_parent()


func _undo() -> UndoRedo:
	var all := EditorInterface.get_editor_undo_redo()
	return all.get_history_undo_redo(all.get_object_history_id(EditorInterface.get_edited_scene_root()))


func _people() -> Control:
	return _dock.get("people")


func _town() -> Control:
	return _dock.get("town")


func _message(page: Control) -> String:
	return (page.get("message") as Label).text


func _row_of(id: String) -> Node:
	for row: Node in (_people().get("_rows") as Node).get_children():
		if row.get("person") is Dictionary and (row.get("person") as Dictionary)["id"] == id:
			return row
	return null


func _problems_of(id: String) -> Array:
	for row: Array in _list_rows():
		if row[0] == id:
			return row[1]
	return []


func _read(path: String) -> String:
	return FileAccess.get_file_as_string(path)


func _write(path: String, text: String) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_string(text)
	file.close()
	# Two writes within a second have one time.
	_dock.call("look_again")


func _is_read() -> bool:
	return not _dock.call("is_reading")


func _list_rows() -> Array:
	var rows: Array = []
	for row: Node in (_dock.get("people").get("_rows") as Node).get_children():
		if row.get("person") is Dictionary:
			var said: Array = (
				row.get_children().filter(func(it: Node) -> bool: return it is Button).map(func(it: Button) -> String: return it.text)
			)
			rows.append([(row.get("person") as Dictionary)["id"], said])
	return rows


func _list_nodes() -> Array:
	var root := EditorInterface.get_edited_scene_root()
	var keys: PackedStringArray = ["address", "display_name", "position", "size", "open", "capacity", "hours", "owners"]
	keys.append_array(["states", "state", "actions", "stand"])
	var found: Array = []
	for node: Node in root.find_children("*", "", true, false):
		var told := [str(root.get_path_to(node))]
		for key: String in keys:
			told.append(str(node.get(key)))
		found.append(told)
	return found


func _have_owner() -> bool:
	var root := EditorInterface.get_edited_scene_root()
	return root.find_children("*", "", true, false).all(func(node: Node) -> bool: return node.owner == root)


func _find_button(inside: Node, text: String) -> Button:
	for found: Node in inside.find_children("*", "Button", true, false):
		if (found as Button).text == text:
			return found as Button
	return null
