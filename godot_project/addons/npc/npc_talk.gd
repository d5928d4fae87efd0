class_name NpcTalk
extends RefCounted
## Lines to characters, and their answers.

## More of an answer came.
signal updated(reply: NpcReply)
## An answer is whole.
signal answered(reply: NpcReply)
## A line got no answer.
signal failed(error: NpcError)

var _link: NpcLink


func _init(link: NpcLink) -> void:
	_link = link


## Asks on a stream of the DialogueService; the pieces go into [param reply].
func ask(method: String, request: Dictionary, reply: NpcReply) -> void:
	_link.open_stream("DialogueService/" + method, request, _on_event.bind(reply))


## Calls a method of the DialogueService that answers at once.
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
				_fail(NpcError.make("UNAVAILABLE", "STREAM_ENDED", "The server ended the answer before it was whole. Ask again."), reply)


func _fail(error: NpcError, reply: NpcReply) -> void:
	error.npc_id = reply.npc_id
	# First all who listen, then who waits: that may go on at once.
	if error.reason not in NpcLink.TOLD_ONCE:
		failed.emit(error)
	reply.fail(error)
