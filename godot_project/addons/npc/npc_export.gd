@tool
extends EditorExportPlugin
## Takes along the town, persona and policy files that the project settings name. Godot itself exports resources only.

## Names the Python of the machine on which the bridge was built.
const BRIDGE_PATH := "res://addons/npc/bin/npc_bridge.path"


func _get_name() -> String:
	return "npc"


func _export_begin(_features: PackedStringArray, _is_debug: bool, _path: String, _flags: int) -> void:
	for path: String in NpcFiles.list_named():
		add_file(path, FileAccess.get_file_as_bytes(path), false)
	var python := FileAccess.get_file_as_string(BRIDGE_PATH).get_slice("\n", 0).trim_prefix("home=").strip_edges()
	if python.is_absolute_path():
		push_warning("npc: the exported game looks for Python at %s. Players need it there: see Export in docs/godot.md." % python)
