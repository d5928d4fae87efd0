@tool
extends EditorPlugin
## Adds the NpcServer autoload and its project settings, and draws places and objects in the editor.

## The name of the autoload.
const AUTOLOAD := "NpcServer"

var _export: EditorExportPlugin = preload("res://addons/npc/npc_export.gd").new()
var _gizmos: EditorNode3DGizmoPlugin = preload("res://addons/npc/npc_gizmos.gd").new()


func _enable_plugin() -> void:
	add_autoload_singleton(AUTOLOAD, "res://addons/npc/npc_server.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)


func _enter_tree() -> void:
	add_export_plugin(_export)
	add_node_3d_gizmo_plugin(_gizmos)
	NpcSettings.register()


func _build() -> bool:
	NpcRoutineWriter.begin()
	return true


func _exit_tree() -> void:
	remove_export_plugin(_export)
	remove_node_3d_gizmo_plugin(_gizmos)
