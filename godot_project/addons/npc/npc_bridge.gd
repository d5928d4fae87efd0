class_name NpcBridge
extends RefCounted
## gRPC for GDScript: calls and streams whose messages are dictionaries, all off the main thread.
##
## Every method returns at once. Call [method drain] in each frame to get what has arrived. Each event is a [Dictionary]
## with [code]id[/code], the number that the method returned, and [code]event[/code], which is one of these:
## [br]- [code]connected[/code];
## [br]- [code]response[/code] or [code]message[/code], with the [Dictionary] [code]message[/code];
## [br]- [code]finished[/code];
## [br]- [code]failed[/code], with [code]code[/code], [code]reason[/code] and [code]message[/code].
## [br][br]The keys of a message are the field names of npc.proto. An enum is a name or a number, and an int64 is an
## [int]. A field that is missing or [code]null[/code] is not set.

## The class in the native library.
const NATIVE := "NpcNativeBridge"
## The message of an error while the native library is missing.
const MISSING := "libnpc_bridge.so is missing. In a project, build it as docs/godot.md says. An exported game needs this file beside it."

## Default time limit of a unary call, in seconds.
const DEFAULT_TIMEOUT_S := 30.0

var _native: RefCounted = null
var _last_id: int = 0
var _own_events: Array[Dictionary] = []


func _init() -> void:
	if ClassDB.class_exists(NATIVE):
		_native = ClassDB.instantiate(NATIVE) as RefCounted


## Returns [code]false[/code] if the native library is not built or does not fit this system. Every call then ends with
## [code]failed[/code].
func is_available() -> bool:
	return _native != null


## Connects to "host:port", and closes the connection before it. A [param root_certificate] in PEM turns TLS on.
func connect_to(address: String, token: String, root_certificate: String = "") -> int:
	return _command("connect", [address, token, root_certificate])


## Calls a unary method such as "SaveService/ListSaves". The call ends with [code]response[/code] or
## [code]failed[/code]. Fields of [param defaults] are added if the request's type has them and [param request] does
## not.
func call_unary(method: String, request: Dictionary, timeout_s: float = DEFAULT_TIMEOUT_S, defaults: Dictionary = {}) -> int:
	return _command("unary", [method, request, timeout_s, defaults])


## Opens a stream such as "WorldService/Play", with an optional first request. The stream ends with
## [code]finished[/code] or [code]failed[/code].
func open_stream(method: String, request: Variant = null) -> int:
	return _command("open", [method, request])


## Sends another request on a stream.
func send(id: int, request: Dictionary) -> void:
	_push(["send", id, request])


## Ends the requests of a stream. The server may still answer.
func finish(id: int) -> void:
	_push(["finish", id])


## Cancels a call or a stream. Events that are already queued still arrive.
func cancel(id: int) -> void:
	_push(["cancel", id])


## Checks a dictionary against a message type such as "Perception" without sending it. Ends with [code]response[/code],
## which holds the message as the server would get it, or with [code]failed[/code].
func check(message_type: String, values: Dictionary) -> int:
	return _command("check", [message_type, values])


## Ends all calls and closes the connection.
func shutdown() -> void:
	_push(["disconnect", 0])


## Returns the events since the last call, in order. At most a few hundred are returned at once; the rest come with the
## next frame.
func drain() -> Array[Dictionary]:
	var events := _own_events
	_own_events = []
	if _native == null:
		return events
	var bytes: PackedByteArray = _native.call(&"pull")
	if bytes.is_empty():
		return events
	var found: Variant = bytes_to_var(bytes)
	if found is Array:
		for event: Variant in found as Array:
			if event is Dictionary:
				events.append(event)
	return events


func _command(name: String, arguments: Array) -> int:
	_last_id += 1
	var parts: Array = [name, _last_id]
	parts.append_array(arguments)
	_push(parts)
	return _last_id


func _push(parts: Array) -> void:
	if _native == null:
		_fail(parts[1], "BRIDGE_MISSING", MISSING)
		return
	var bytes := var_to_bytes(parts)
	var answer: int = _native.call(&"push", bytes)
	match answer:
		0:
			pass
		-1:
			_fail(parts[1], "BRIDGE_FULL", "64 MiB of messages wait to be sent. Send less, or find out why the server does not read them.")
		-4:
			_fail(parts[1], "BRIDGE_INPUT", "The message cannot be encoded: it is nested too deeply or contains itself.")
		_:
			_fail(parts[1], "BRIDGE_STOPPED", "The bridge's thread has ended. Restart the game.")


func _fail(id: int, reason: String, message: String) -> void:
	_own_events.append({"id": id, "event": "failed", "code": "UNAVAILABLE", "reason": reason, "message": message})
