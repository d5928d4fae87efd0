class_name NpcPanelHost
extends Node
## Opens and closes the [NpcPanel] of a game with a key, and answers the editor's debugger tab "Minds".
##
## It is a child of NpcServer. A game opens the panel itself with [code]NpcPanelHost.find(self).toggle()[/code]. What it
## shows holds secrets of the characters and whole prompts. So in an exported game that is not a debug build there is no
## panel, unless the project setting [code]npc/panel/in_release[/code] is on.

const Look := preload("res://addons/npc/panel/look.gd")
const SourceHere := preload("res://addons/npc/panel/source_here.gd")
## The prefix of messages between the game and the editor.
const CAPTURE := "npc"
## The node's name under NpcServer.
const HOST := "NpcPanelHost"
## Milliseconds between two reports to the editor of what is played.
const TELL_MS := 500
const LAYER := 100

## The panel; [code]null[/code] before it is opened for the first time.
var panel: NpcPanel = null

var _source: SourceHere
var _layer := CanvasLayer.new()
var _told: Array = []
var _tell_at_ms: int = 0
var _is_watched: bool = false


func _init(server: NpcServerNode, session: NpcSession) -> void:
	name = HOST
	process_mode = Node.PROCESS_MODE_ALWAYS
	_source = SourceHere.new(server, session)
	_layer.layer = LAYER
	add_child(_layer)


## Returns the host of the running game, or [code]null[/code] where NpcServer is no autoload.
static func find(node: Node) -> NpcPanelHost:
	var server := NpcServerNode.find(node)
	return server.get_node_or_null(HOST) as NpcPanelHost if server != null else null


## Returns [code]true[/code] if there is a panel in this build of the game.
static func is_allowed(is_debug_build: bool = OS.is_debug_build()) -> bool:
	return is_debug_build or NpcSettings.get_flag(NpcSettings.PANEL_IN_RELEASE)


func _ready() -> void:
	set_process(EngineDebugger.is_active())
	if EngineDebugger.is_active():
		EngineDebugger.register_message_capture(CAPTURE, _on_message)
		# Before this, messages of the editor are lost.
		EngineDebugger.send_message(CAPTURE + ":hello", [])


func _exit_tree() -> void:
	if EngineDebugger.is_active() and EngineDebugger.has_capture(CAPTURE):
		EngineDebugger.unregister_message_capture(CAPTURE)


func _process(_delta: float) -> void:
	if _is_watched and Time.get_ticks_msec() >= _tell_at_ms:
		_tell_at_ms = Time.get_ticks_msec() + TELL_MS
		_tell()


func _shortcut_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key != null and key.pressed and not key.echo and key.keycode != KEY_NONE and key.keycode == get_key() and is_allowed():
		get_viewport().set_input_as_handled()
		toggle()


## Returns the key that opens the panel, or KEY_NONE if the project setting [code]npc/panel/key[/code] names none.
static func get_key() -> Key:
	return OS.find_keycode_from_string(NpcSettings.get_text(NpcSettings.PANEL_KEY))


## Opens the panel, or closes it. Does nothing where it is not allowed (see [method is_allowed]).
func toggle() -> void:
	if not is_allowed():
		return
	if panel == null:
		_make_panel()
		return
	panel.visible = not panel.visible
	if panel.visible:
		panel.view.hurry()
		panel.people.grab_focus()


func _make_panel() -> void:
	panel = NpcPanel.new(_source)
	panel.theme = Look.make_theme()
	panel.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 24)
	panel.show_close_button()
	panel.closed.connect(panel.hide)
	_layer.add_child(panel)
	panel.people.grab_focus()


# ---- the editor's debugger


## Answers the editor: "watch" with a bool begins or ends reports, and "ask" with an id, a method and its fields calls it.
func _on_message(message: String, data: Array) -> bool:
	match message:
		"watch":
			_is_watched = data[0]
			_told = []
			_tell_at_ms = 0
		"ask":
			_answer(data[0] as int, str(data[1]), data[2] as Dictionary)
		_:
			return false
	return true


func _answer(id: int, method: String, fields: Dictionary) -> void:
	var request := _source.ask(method, fields)
	if await request.done():
		EngineDebugger.send_message(CAPTURE + ":answer", [id, request.response, ""])
	else:
		EngineDebugger.send_message(CAPTURE + ":answer", [id, {}, request.error.message])


## Tells the editor what is played, when that has changed.
func _tell() -> void:
	var state := [_source.get_problem(), _source.get_title()]
	if state != _told:
		_told = state
		EngineDebugger.send_message(CAPTURE + ":state", state)
