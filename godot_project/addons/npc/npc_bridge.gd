class_name NpcBridge
extends RefCounted
## gRPC for GDScript: calls and streams with dictionaries for messages, all off the main thread.
##
## Every method returns at once. What comes of it is handed over by [method drain], which is called once a frame.
## Each event of it is a Dictionary with [code]id[/code] (what the method returned) and [code]event[/code]:
## [code]connected[/code], [code]response[/code] and [code]message[/code] (with [code]message[/code], a Dictionary),
## [code]finished[/code], or [code]failed[/code] (with [code]code[/code], [code]reason[/code], [code]message[/code]).
## [br][br]Messages: keys are the field names of npc.proto; enums are names or numbers; int64 is int; a field that is
## missing or null is not set.

## Name of the class in the native library.
const NATIVE := "NpcNativeBridge"

## Seconds a unary call may take when none are given.
const DEFAULT_TIMEOUT_S := 30.0

var _native: RefCounted = null
var _last_id: int = 0
var _own_events: Array[Dictionary] = []


func _init() -> void:
	if ClassDB.class_exists(NATIVE):
		_native = ClassDB.instantiate(NATIVE) as RefCounted


## False when the native library is not built or does not fit this system; every call then ends in `failed`.
func is_available() -> bool:
	return _native != null


## Connects to "host:port". Ends what was open before. A [param root_certificate] in PEM switches TLS on.
func connect_to(address: String, token: String, root_certificate: String = "") -> int:
	return _command("connect", [address, token, root_certificate])


## Calls e.g. "SaveService/ListSaves" with a request's fields; ends in `response` or `failed`. Of [param defaults], those
## fields are added that the request's type has and [param request] does not name.
func call_unary(method: String, request: Dictionary, timeout_s: float = DEFAULT_TIMEOUT_S, defaults: Dictionary = {}) -> int:
	return _command("unary", [method, request, timeout_s, defaults])


## Opens a stream, e.g. "WorldService/Play", with a first request if one is given; ends in `finished` or `failed`.
func open_stream(method: String, request: Variant = null) -> int:
	return _command("open", [method, request])


## Sends one more request on a stream.
func send(id: int, request: Dictionary) -> void:
	_push(["send", id, request])


## Says that no more requests come; the server may go on answering.
func finish(id: int) -> void:
	_push(["finish", id])


## Ends a call or a stream. Nothing more comes of it, except what is already queued.
func cancel(id: int) -> void:
	_push(["cancel", id])


## Checks a dictionary against a message type, e.g. "Perception", without sending it; ends in `response` with the
## message as it would arrive, or in `failed`.
func check(message_type: String, values: Dictionary) -> int:
	return _command("check", [message_type, values])


## Ends everything and closes the connection.
func shutdown() -> void:
	_push(["disconnect", 0])


## What happened since the last time, in order; at most a few hundred events, the rest comes next frame.
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
		_fail(parts[1], "BRIDGE_MISSING", "The native library of addons/npc is not there. Build it: see docs/godot.md.")
		return
	var bytes := var_to_bytes(parts)
	var answer: int = _native.call(&"push", bytes)
	match answer:
		0:
			pass
		-1:
			_fail(parts[1], "BRIDGE_FULL", "64 MiB wait to be sent. Send less, or look why the server does not take it.")
		-4:
			_fail(parts[1], "BRIDGE_INPUT", "The message cannot be encoded: it is nested too deep or contains itself.")
		_:
			_fail(parts[1], "BRIDGE_STOPPED", "The bridge's thread has ended. Start the game again.")


func _fail(id: int, reason: String, message: String) -> void:
	_own_events.append({"id": id, "event": "failed", "code": "UNAVAILABLE", "reason": reason, "message": message})
