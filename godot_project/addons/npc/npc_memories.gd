class_name NpcMemories
extends RefCounted
## Adds, edits and deletes what characters remember, as [code]NpcServer.memories[/code].
##
## [codeblock]
## NpcServer.memories.add("The old king is dead.", {"everybody": true}, {"key": "king_dead", "importance": 9})
## # Later, when the quest has brought him back:
## NpcServer.memories.delete_key("king_dead")
## [/codeblock]
## Each call is carried out after all earlier events, and what it changed is on the server's disk when its request has
## ended. [method add] with a key, and [method delete_key], are sent again after a lost connection. Loading a save takes
## back everything that was changed since it was saved.

var _server: NpcServerNode
var _session: NpcSession
## The requests that have not ended.
var _pending: Array[NpcRequest] = []


func _init(server: NpcServerNode, session: NpcSession) -> void:
	_server = server
	_session = session


## Gives people a memory. [param to] says whom: [code]npc_ids[/code], [code]factions[/code] and [code]places[/code]
## (arrays of ids and addresses), or [code]"everybody": true[/code]. [param more] may have the other fields of
## AddMemoryRequest: [code]importance[/code] (1 to 10), [code]source_person[/code] (who told it), [code]source[/code],
## [code]at_s[/code], [code]address[/code], [code]subject[/code], [code]key[/code] and [code]by[/code].
## [code]response["memories"][/code] holds the memories.
func add(text: String, to: Dictionary, more: Dictionary = {}) -> NpcRequest:
	return _call("AddMemory", {"text": text, "to": to}.merged(more), more.has("key"))


## Changes the text of a memory, or its importance (1 to 10) if that is not 0. It keeps its id. An empty text stays.
## [code]response["in_doubt"][/code] holds what was concluded from the former text, and no longer comes to mind.
func edit(npc_id: String, memory_id: int, text: String, importance: int = 0, by: String = "") -> NpcRequest:
	var fields := {"npc_id": npc_id, "memory_id": memory_id, "text": text, "importance": importance, "by": by}
	return _call("EditMemory", fields, false)


## Deletes a memory. [code]response["in_doubt"][/code] holds what was concluded from it, and no longer comes to mind.
func delete(npc_id: String, memory_id: int, by: String = "") -> NpcRequest:
	return _call("DeleteMemory", {"npc_id": npc_id, "memory_id": memory_id, "by": by}, false)


## Deletes the memories that were added under a key: those of everybody, or of the people of [param of] (see
## [method add]). Does nothing if nobody has one.
func delete_key(key: String, of: Dictionary = {}, by: String = "") -> NpcRequest:
	return _call("DeleteMemory", {"key": key, "to": of, "by": by}, true)


## Lists how the memories of a character, or one of them, were changed by these methods. [code]response["changes"][/code]
## holds a dictionary with the fields of MemoryChange for each.
func get_changes(npc_id: String, memory_id: int = 0) -> NpcRequest:
	return _call("ListMemoryChanges", {"npc_id": npc_id, "memory_id": memory_id}, false)


## Ends all requests. Called when another save is played, and when play stops.
func forget() -> void:
	var words := "Another save was loaded, or NpcServer was stopped, before the memories were changed. Ask again."
	for request: NpcRequest in _pending.duplicate():
		request.fail(NpcError.make("ABORTED", "GAME_LOADED", words))


func _call(method: String, fields: Dictionary, may_repeat: bool) -> NpcRequest:
	var request := NpcRequest.new()
	_pending.append(request)
	request.finished.connect(_pending.erase.bind(request), CONNECT_ONE_SHOT)
	_send(method, fields, request, may_repeat)
	return request


## Sends a request once all earlier events are stored.
func _send(method: String, fields: Dictionary, request: NpcRequest, may_repeat: bool) -> void:
	if request.is_finished:
		return
	var tried := NpcRequest.new()
	tried.finished.connect(_on_tried.bind(tried, method, fields, request, may_repeat), CONNECT_ONE_SHOT)
	_session.once_playing(tried, _session.play.once_stored.bind(_begin.bind(method, fields, tried)))


func _begin(method: String, fields: Dictionary, tried: NpcRequest) -> void:
	var defaults := {"session_id": _session.saves.session, "epoch": _session.play.epoch}
	_session.link.call_unary("MindService/" + method, fields, tried.complete, tried.fail, defaults)


func _on_tried(tried: NpcRequest, method: String, fields: Dictionary, request: NpcRequest, may_repeat: bool) -> void:
	if tried.error == null:
		request.complete(tried.response)
	elif may_repeat and tried.error.is_temporary() and _session.link.state == NpcLink.State.WAITING:
		_send.call_deferred(method, fields, request, may_repeat)
	elif not request.is_finished:
		if tried.error.reason not in NpcLink.REPORTED_ONCE:
			_server.failed.emit(tried.error)
		request.fail(tried.error)
