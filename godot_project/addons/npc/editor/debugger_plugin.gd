@tool
extends EditorDebuggerPlugin
## Adds the tab "Minds" to the editor's debugger, one for each game that is debugged.

const DebuggerSource := preload("res://addons/npc/editor/debugger_source.gd")
## The title of the tab, which is that of the dock, too.
const TAB := "Minds"
## The least height of the tab.
const HEIGHT := 440.0

var _sources: Dictionary[int, DebuggerSource] = {}
var _panels: Array[NpcPanel] = []


func _setup_session(session_id: int) -> void:
	var session := get_session(session_id)
	var source := DebuggerSource.new(session)
	_sources[session_id] = source
	var panel := NpcPanel.new(source)
	panel.name = TAB
	panel.custom_minimum_size.y = HEIGHT * EditorInterface.get_editor_scale()
	session.started.connect(panel.view.hurry)
	_panels.append(panel)
	session.add_session_tab(panel)


func _has_capture(capture: String) -> bool:
	return capture == DebuggerSource.CAPTURE


func _capture(message: String, data: Array, session_id: int) -> bool:
	return _sources.has(session_id) and _sources[session_id].take(message, data)


## Frees what is left of the tabs. Called after the plugin was removed.
func clear() -> void:
	for panel: NpcPanel in _panels:
		if is_instance_valid(panel):
			panel.queue_free()
	_panels.clear()
	_sources.clear()
