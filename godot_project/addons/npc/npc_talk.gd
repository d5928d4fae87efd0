class_name NpcTalk
extends RefCounted
## Sends lines to characters, and collects their answers.

## Emitted when more of an answer has arrived.
signal updated(reply: NpcReply)
## Emitted when an answer is complete.
signal answered(reply: NpcReply)
## Emitted when a line gets no answer.
signal failed(error: NpcError)

var _link: NpcLink


func _init(link: NpcLink) -> void:
	_link = link


## Calls a streaming method of the DialogueService. The answer goes into [param reply].
func ask(method: String, request: Dictionary, reply: NpcReply) -> void:
	_link.open_stream("DialogueService/" + method, request, _on_event.bind(reply))


## Calls a unary method of the DialogueService.
func tell(method: String, request: Dictionary, reply: NpcReply) -> void:
	_link.call_unary("DialogueService/" + method, request, reply.complete, _fail.bind(reply))


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
