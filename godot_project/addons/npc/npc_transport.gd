class_name NpcTransport
extends RefCounted
## Carries the commands of an [NpcBridge] to the server, and brings its events back. [NpcSocket] needs nothing but Godot,
## and [NpcNative] is a native library.

## The transport that is used: [constant NATIVE] if its library is there and loads, else [constant SOCKET].
const AUTO := "auto"
## A TCP socket of the server.
const SOCKET := "socket"
## gRPC in a native library, which takes less of each frame.
const NATIVE := "native"
## The environment variable that overrides the project setting [code]npc/server/transport[/code].
const VARIABLE := "NPC_SERVER_TRANSPORT"
## The most bytes that may wait to be sent.
const WAITING_LIMIT := 64 << 20

var _own_events: Array[Dictionary] = []


## Returns the transport that the environment or the project setting names.
static func get_wanted() -> String:
	var given := OS.get_environment(VARIABLE)
	var wanted := given if not given.is_empty() else NpcSettings.get_text(NpcSettings.TRANSPORT)
	if wanted in [AUTO, SOCKET, NATIVE]:
		return wanted
	var place := VARIABLE if not given.is_empty() else NpcSettings.TRANSPORT
	push_warning("%s is '%s'. It is taken for auto; use auto, socket or native." % [place, wanted])
	return AUTO


## Makes the transport that is to be used.
static func make() -> NpcTransport:
	var wanted := get_wanted()
	if wanted == NATIVE or (wanted == AUTO and NpcNative.is_loaded()):
		return NpcNative.new()
	return NpcSocket.new()


## Returns [code]false[/code] if nothing can be sent, because a library is missing. Every call then fails.
func is_available() -> bool:
	return true


## Sends a command, [code][name, id, …][/code]. What is wrong with it comes as an event.
func push(_parts: Array) -> void:
	pass


## Returns the events since the last call, in order. At most a few hundred are returned at once.
func pull() -> Array[Dictionary]:
	var events := _own_events
	_own_events = []
	return events


func _fail(id: int, reason: String, message: String) -> void:
	_own_events.append({"id": id, "event": "failed", "code": "UNAVAILABLE", "reason": reason, "message": message})


func _fail_full(id: int) -> void:
	_fail(id, "BRIDGE_FULL", "64 MiB of messages wait to be sent. Send less, or find out why the server does not read them.")


func _fail_nested(id: int) -> void:
	_fail(id, "BRIDGE_INPUT", "The message cannot be encoded: it is nested too deeply or contains itself.")
