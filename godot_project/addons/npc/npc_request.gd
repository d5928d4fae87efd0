class_name NpcRequest
extends RefCounted
## Something the game asked of the server, and what came of it.
##
## [codeblock]
## var request := NpcServer.save_game("evening")
## if not await request.done():
##     show_message(request.error.message)
## [/codeblock]

## It failed; [signal finished] follows.
signal failed(error: NpcError)
## It is over, well or badly: [member error] is null when it went well.
signal finished

## True once it is over.
var is_finished: bool = false
## Why it failed; null while it goes on, and when it went well.
var error: NpcError = null
## The server's answer: the response's fields by their names in npc.proto.
var response: Dictionary = {}


## Waits until it is over. True when it went well.
func done() -> bool:
	if not is_finished:
		await finished
	return error == null


## For NpcServer: it went well. Does nothing once it is over.
func complete(message: Dictionary) -> void:
	if is_finished:
		return
	is_finished = true
	response = message
	finished.emit()


## For NpcServer: it failed. Does nothing once it is over.
func fail(why: NpcError) -> void:
	if is_finished:
		return
	is_finished = true
	error = why
	failed.emit(why)
	finished.emit()
