class_name NpcBridge
extends RefCounted
## Calls and streams of the server, whose messages are dictionaries. An [NpcTransport] carries them.
##
## Every method returns at once. Call [method drain] in each frame to get what has arrived. Each event is a [Dictionary]
## with [code]id[/code], the number that the method returned, and [code]event[/code], which is one of these:
## [br]- [code]connected[/code];
## [br]- [code]response[/code] or [code]message[/code], with the [Dictionary] [code]message[/code];
## [br]- [code]finished[/code];
## [br]- [code]failed[/code], with [code]code[/code], [code]reason[/code] and [code]message[/code].
## [br][br]The keys of a message are the field names of npc.proto. An enum is a name or a number, and an int64 is an
## [int]. A field that is missing or [code]null[/code] is not set.

var _transport: NpcTransport
var _last_id: int = 0


## Without a [param transport], the project setting [code]npc/server/transport[/code] decides.
func _init(transport: NpcTransport = null) -> void:
	_transport = transport if transport != null else NpcTransport.make()


## Returns [code]false[/code] if the transport needs a native library that is not built or does not fit this system. Every
## call then ends with [code]failed[/code].
func is_available() -> bool:
	return _transport.is_available()


## Returns [code]true[/code] if the native library carries the calls.
func is_native() -> bool:
	return _transport is NpcNative


## Connects to "host:port", and closes the connection before it. Over a socket this is the server's socket, else its gRPC
## port. A [param root_certificate] in PEM turns TLS on, which the socket does not have.
func connect_to(address: String, token: String, root_certificate: String = "") -> int:
	return _command("connect", [address, token, root_certificate])


## Calls a unary method such as "SaveService/ListSaves". The call ends with [code]response[/code] or
## [code]failed[/code]. Fields of [param defaults] are added if the request's type has them and [param request] does
## not. It fails after [param timeout_s] seconds; 0 means those of the contract, which are 30 for most methods.
func call_unary(method: String, request: Dictionary, timeout_s: float = 0.0, defaults: Dictionary = {}) -> int:
	return _command("unary", [method, request, timeout_s if timeout_s > 0.0 else null, defaults])


## Opens a stream such as "WorldService/Play", with an optional first request. The stream ends with
## [code]finished[/code] or [code]failed[/code].
func open_stream(method: String, request: Variant = null) -> int:
	return _command("open", [method, request])


## Sends another request on a stream.
func send(id: int, request: Dictionary) -> void:
	_transport.push(["send", id, request])


## Ends the requests of a stream. The server may still answer.
func finish(id: int) -> void:
	_transport.push(["finish", id])


## Cancels a call or a stream. Events that are already queued still arrive.
func cancel(id: int) -> void:
	_transport.push(["cancel", id])


## Checks a dictionary against a message type such as "Perception" without sending it. Ends with [code]response[/code],
## which holds the message as the server would get it, or with [code]failed[/code].
func check(message_type: String, values: Dictionary) -> int:
	return _command("check", [message_type, values])


## Ends all calls and closes the connection.
func shutdown() -> void:
	_transport.push(["disconnect", 0])


## Returns the events since the last call, in order. At most a few hundred are returned at once; the rest come with the
## next frame.
func drain() -> Array[Dictionary]:
	return _transport.pull()


func _command(name: String, arguments: Array) -> int:
	_last_id += 1
	var parts: Array = [name, _last_id]
	parts.append_array(arguments)
	_transport.push(parts)
	return _last_id
