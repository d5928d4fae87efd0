@tool
extends "res://addons/npc/panel/source.gd"
## Asks the server of a game that the editor debugs. The questions go through the debugger to the game, which passes them on.

const CAPTURE := "npc"

var _session: EditorDebuggerSession
var _open: Dictionary[int, NpcRequest] = {}
var _last: int = 0
var _problem: String = "Start the game to look into its minds."
var _title: String = ""


func _init(session: EditorDebuggerSession) -> void:
	_session = session
	session.started.connect(_on_started)
	session.stopped.connect(_on_stopped)
	if session.is_active():  # the plugin was enabled while the game runs
		_on_started()
		_watch()


func ask(method: String, fields: Dictionary) -> NpcRequest:
	if not get_problem().is_empty():
		return _refused(get_problem())
	var request := NpcRequest.new()
	_last += 1
	_open[_last] = request
	_session.send_message(CAPTURE + ":ask", [_last, method, fields])
	return request


func get_problem() -> String:
	if _session.is_breaked():
		return "The game stands at a breakpoint. Continue it to look into its minds."
	return _problem


func get_title() -> String:
	return _title


## Takes a message of the game. Returns [code]false[/code] if it is none for this.
func take(message: String, data: Array) -> bool:
	match message.trim_prefix(CAPTURE + ":"):
		"hello":
			_watch()
		"answer":
			var request: NpcRequest = _open.get(data[0])
			_open.erase(data[0])
			if request != null and str(data[2]).is_empty():
				request.complete(data[1] as Dictionary)
			elif request != null:
				request.fail(NpcError.make("UNAVAILABLE", "NOT_PLAYING", str(data[2])))
		"state":
			_problem = data[0]
			_title = data[1]
		_:
			return false
	return true


## Asks the game to report what it plays, from now on.
func _watch() -> void:
	_session.send_message(CAPTURE + ":watch", [true])


func _on_started() -> void:
	_problem = "The game has not said yet what it plays. It needs the addon and the autoload NpcServer."
	_title = ""


func _on_stopped() -> void:
	_problem = "The game has ended. Start it to look into its minds."
	var open := _open
	_open = {}
	for id: int in open:
		open[id].fail(NpcError.make("UNAVAILABLE", "NOT_PLAYING", _problem))
