class_name NpcTalk
extends RefCounted
## Sends lines to characters, and collects their answers. What is said to a character is answered in the order in which it was
## said: each line waits for the answer to the one before.

## Emitted when more of an answer has arrived.
signal updated(reply: NpcReply)
## Emitted when an answer is complete.
signal answered(reply: NpcReply)
## Emitted when a line gets no answer.
signal failed(error: NpcError)

## Reasons after which the lines that wait are no longer said: they belong to a time or a save that is over.
const OVER: Array[String] = ["GAME_LOADED", "NO_SESSION"]

var _link: NpcLink
## For each character the lines that are not answered yet. The first is being answered.
var _lines: Dictionary[String, Array] = {}


class Line:
	extends RefCounted
	var fields: Dictionary
	var reply: NpcReply
	var begin: Callable


func _init(link: NpcLink) -> void:
	_link = link


## Calls a streaming method of the DialogueService. The answer goes into [param reply].
func ask(method: String, request: Dictionary, reply: NpcReply) -> void:
	var begin := func() -> void: _link.open_stream("DialogueService/" + method, request, _on_event.bind(reply))
	if method == "Interview":
		begin.call()  # it leaves no memory, so its turn does not matter
	else:
		_begin_in_turn(request, reply, begin)


## Calls a unary method of the DialogueService.
func tell(method: String, request: Dictionary, reply: NpcReply) -> void:
	_begin_in_turn(
		request, reply, func() -> void: _link.call_unary("DialogueService/" + method, request, reply.complete, _fail.bind(reply))
	)


## Returns the lines of players that are not answered, as requests of Say.
func get_unanswered() -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for npc_id: String in _lines:
		for line: Line in _lines[npc_id]:
			if line.fields.has("speaker") and line.fields.has("text"):
				found.append(line.fields)
	return found


func _begin_in_turn(fields: Dictionary, reply: NpcReply, begin: Callable) -> void:
	var line := Line.new()
	line.fields = fields
	line.reply = reply
	line.begin = begin
	var turns: Array = _lines.get_or_add(reply.npc_id, [])
	turns.append(line)
	reply.finished.connect(_begin_next.bind(reply.npc_id), CONNECT_ONE_SHOT)
	if turns.size() == 1:
		begin.call()


func _begin_next(npc_id: String) -> void:
	var turns: Array = _lines[npc_id]
	var error := (turns.pop_front() as Line).reply.error
	if turns.is_empty():
		_lines.erase(npc_id)
	elif error != null and (error.reason in OVER or _link.state != NpcLink.State.OPEN):
		_fail(NpcError.make(error.code, error.reason, error.message), (turns[0] as Line).reply)
	else:
		(turns[0] as Line).begin.call()


func _on_event(event: Dictionary, reply: NpcReply) -> void:
	match event.get("event"):
		"message":
			if reply.take(event.get("message", {}) as Dictionary):
				answered.emit(reply)
			else:
				updated.emit(reply)
		"failed":
			_fail(NpcError.from_event(event), reply)
		"finished":
			if not reply.is_finished:
				_fail(NpcError.make("UNAVAILABLE", "STREAM_ENDED", "The server ended the answer before it was complete. Ask again."), reply)


func _fail(error: NpcError, reply: NpcReply) -> void:
	error.npc_id = reply.npc_id
	# The signal comes first, because whoever awaits the reply may go on at once.
	if error.reason not in NpcLink.REPORTED_ONCE:
		failed.emit(error)
	reply.fail(error)
