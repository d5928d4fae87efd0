extends "res://addons/npc/panel/source.gd"
## Asks the server that this game plays with.

var _server: NpcServerNode
var _session: NpcSession


func _init(server: NpcServerNode, session: NpcSession) -> void:
	_server = server
	_session = session


func ask(method: String, fields: Dictionary) -> NpcRequest:
	if not _server.is_playing():
		return _refused(get_problem())
	if method not in READS:
		return _refused("A panel only reads, so it may not call %s. It may call %s." % [method, ", ".join(READS)])
	var request := NpcRequest.new()
	# Not through call_server, because the game must not hear of what fails for a panel.
	_session.link.call_unary(SERVICE + method, fields, request.complete, request.fail, {"session_id": _session.saves.session})
	return request


func get_problem() -> String:
	if _server.is_playing():
		return ""
	if _server.is_without_minds():
		return "There is no server, so everybody follows the routine of their persona file and has no mind to show."
	return "No save is played now. Call NpcServer.start(), or wait until it is connected."


func get_title() -> String:
	var model := _server.model if not _server.model.is_empty() else "without a language model"
	return "%s, %s" % [_server.slot, model] if _server.is_playing() else ""
