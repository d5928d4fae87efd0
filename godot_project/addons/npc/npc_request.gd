class_name NpcRequest
extends RefCounted
## A request to the server, and its result.
##
## [codeblock]
## var request := NpcServer.save_game("evening")
## if not await request.done():
##     show_message(request.error.message)
## [/codeblock]

## Emitted when the request has failed, before [signal finished].
signal failed(error: NpcError)
## Emitted when the request has ended. On success [member error] is [code]null[/code].
signal finished

## If [code]true[/code], the request has ended.
var is_finished: bool = false
## Why the request failed; [code]null[/code] while it runs and on success.
var error: NpcError = null
## The response, with the field names of npc.proto.
var response: Dictionary = {}


## Waits until the request has ended. Returns [code]true[/code] on success.
func done() -> bool:
	if not is_finished:
		await finished
	return error == null


## For internal use. Ends the request with success. Does nothing if it has ended.
func complete(message: Dictionary) -> void:
	if is_finished:
		return
	is_finished = true
	response = message
	finished.emit()


## For internal use. Ends the request with an error. Does nothing if it has ended.
func fail(why: NpcError) -> void:
	if is_finished:
		return
	is_finished = true
	error = why
	failed.emit(why)
	finished.emit()
