@tool
extends EditorPlugin
## Adds the NpcServer autoload and its project settings, draws places and objects in the editor, shows the dock "Minds" and
## a tab of the debugger, and gets the server. Whatever it adds when it is enabled it removes when it is disabled.

## The name of the autoload.
const AUTOLOAD := "NpcServer"
## The entry in Project > Tools.
const GET := "Get npc-server..."
## Where the editor keeps, for this user and project, that it has asked.
const ASKED: PackedStringArray = ["npc_server", "asked"]

## The tab of the debugger.
const DebuggerTab := preload("res://addons/npc/editor/debugger_plugin.gd")
## Lists in the inspector.
const Inspector := preload("res://addons/npc/editor/inspector.gd")
## What the files hold.
const Known := preload("res://addons/npc/editor/known.gd")
## The dock.
const MindsDock := preload("res://addons/npc/editor/minds_dock.gd")

var _export: EditorExportPlugin = preload("res://addons/npc/npc_export.gd").new()
var _gizmos: EditorNode3DGizmoPlugin = preload("res://addons/npc/npc_gizmos.gd").new()
var _dialog: AcceptDialog = null
var _inspector: EditorInspectorPlugin
var _dock: MindsDock
var _debugger := DebuggerTab.new()


func _enable_plugin() -> void:
	add_autoload_singleton(AUTOLOAD, "res://addons/npc/npc_server.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)


func _enter_tree() -> void:
	add_export_plugin(_export)
	add_node_3d_gizmo_plugin(_gizmos)
	NpcSettings.register()
	var known := Known.new()
	_inspector = Inspector.new(known)
	add_inspector_plugin(_inspector)
	_dock = MindsDock.new(known)
	_dock.no_server.wanted.connect(show_dialog)
	add_control_to_dock(DOCK_SLOT_RIGHT_BL, _dock)
	add_debugger_plugin(_debugger)
	add_tool_menu_item(GET, show_dialog)
	_ask_once.call_deferred()


func _build() -> bool:
	NpcRoutineWriter.begin()
	return true


func _exit_tree() -> void:
	remove_export_plugin(_export)
	remove_node_3d_gizmo_plugin(_gizmos)
	remove_tool_menu_item(GET)
	remove_debugger_plugin(_debugger)
	_debugger.clear()
	if _dialog != null:
		_dialog.queue_free()
	remove_inspector_plugin(_inspector)
	remove_control_from_docks(_dock)
	_dock.queue_free()


## Opens the dialog that gets the server.
func show_dialog() -> void:
	if _dialog == null:
		_dialog = (load("res://addons/npc/npc_get_dialog.gd") as GDScript).new() as AcceptDialog
		EditorInterface.get_base_control().add_child(_dialog)
	_dialog.popup_centered()


## Opens it by itself the first time that a project has no server. An editor without a window exports or imports.
func _ask_once() -> void:
	var settings := EditorInterface.get_editor_settings()
	if settings.get_project_metadata(ASKED[0], ASKED[1], false) as bool or DisplayServer.get_name() == "headless":
		return
	# While it scans a project, the editor has windows of its own.
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	if is_inside_tree() and not NpcProgram.find().is_found():
		settings.set_project_metadata(ASKED[0], ASKED[1], true)
		show_dialog()
