class_name NpcLink
extends RefCounted
## The connection to the server: starts the server where that is the game's task, connects, and tries again when it is lost.
##
## Each request gets an answer: when the connection is lost, those that are under way fail with the reason CONNECTION_LOST.

## The server can be called.
signal opened
## The connection is lost and will be tried again.
signal lost(error: NpcError)
## Nothing more is tried until [method start]: somebody has to mend something first.
signal gave_up(error: NpcError)

enum State { STOPPED, STARTING, CONNECTING, OPEN, WAITING }

const FIRST_PAUSE_S := 0.25
const LONGEST_PAUSE_S := 30.0
const LOST := "CONNECTION_LOST"
const STOPPED := "STOPPED"
## Reasons that are told once for all requests, by NpcServer.disconnected or by who called stop().
const TOLD_ONCE: Array[String] = [LOST, STOPPED]
## Reasons that pass by themselves although their code does not say so.
const PASSING: Array[String] = ["SAVE_IN_USE", "NO_SESSION"]

var state: State = State.STOPPED
## Microseconds that the native library took in this frame.
var cost_usec: int = 0

var _bridge: NpcBridge = null
var _process: NpcProcess = null
var _handlers: Dictionary[int, Callable] = {}
var _address: String = ""
var _token: String = ""
var _pause_s: float = FIRST_PAUSE_S
var _retry_at_ms: int = 0


## Connects to a server; with an empty address to one that it starts itself.
func start(address: String, token: String) -> void:
	_address = address
	_token = token
	_bridge = NpcBridge.new()
	_pause_s = FIRST_PAUSE_S
	_begin()


## Ends the connection, and the server if it was started here.
func stop(why: NpcError) -> void:
	state = State.STOPPED
	_drop(why)
	_bridge = null
	if _process != null:
		_process.stop()
	_process = null


## The process id of a server that was started here; -1 for another's.
func get_server_pid() -> int:
	return _process.get_pid() if _process != null else -1


## Call it once a frame: hands out what came in, and watches the process and the next attempt.
func poll() -> void:
	if _bridge == null:
		return
	var before := Time.get_ticks_usec()
	var events := _bridge.drain()
	cost_usec = Time.get_ticks_usec() - before
	for event: Dictionary in events:
		var handler: Variant = _handlers.get(event.get("id", 0))
		if handler is Callable and _is_loss(event):
			lose(NpcError.from_event(event))
		elif handler is Callable:
			(handler as Callable).call(event)
		elif event.get("event") == "failed" and not event.has("id"):
			give_up(NpcError.from_event(event))
		if _bridge == null:
			return
	if state == State.STARTING:
		var error: NpcError = _process.poll()
		if error != null:
			lose(error)
		elif not _process.address.is_empty():
			_connect_to(_process.address, _process.token)
	elif state == State.WAITING and Time.get_ticks_msec() >= _retry_at_ms:
		_begin()


## The connection has proved good: the next pause is a short one again.
func settle() -> void:
	_pause_s = FIRST_PAUSE_S


# ---- calls


## Calls a unary method. One of the two is called once: [param on_done] with the response, or [param on_failed] with an error.
func call_unary(method: String, request: Dictionary, on_done: Callable, on_failed: Callable, defaults: Dictionary = {}) -> void:
	var id := _bridge.call_unary(method, request, NpcBridge.DEFAULT_TIMEOUT_S, defaults)
	_handlers[id] = func(event: Dictionary) -> void:
		_handlers.erase(id)
		if event.get("event") == "failed":
			on_failed.call(NpcError.from_event(event))
		else:
			on_done.call(event.get("message", {}))


## Opens a stream; [param on_event] gets each event of it, the last one "finished" or "failed". Returns its number.
func open_stream(method: String, request: Dictionary, on_event: Callable) -> int:
	var id := _bridge.open_stream(method, request)
	_handlers[id] = func(event: Dictionary) -> void:
		if event.get("event") in ["failed", "finished"]:
			_handlers.erase(id)
		on_event.call(event)
	return id


## Sends one more message on a stream.
func send(stream: int, message: Dictionary) -> void:
	_bridge.send(stream, message)


## Ends a stream; nothing more is heard of it.
func cancel(stream: int) -> void:
	if _handlers.erase(stream):
		_bridge.cancel(stream)


# ---- losing and giving up


## Takes the connection for lost. It is tried again, unless the error cannot pass by itself.
func lose(error: NpcError) -> void:
	if state in [State.WAITING, State.STOPPED]:
		return
	if not (error.is_passing() or error.reason in PASSING):
		give_up(error)
		return
	state = State.WAITING
	_retry_at_ms = Time.get_ticks_msec() + int(_pause_s * 1000.0)
	_pause_s = minf(_pause_s * 2.0, LONGEST_PAUSE_S)
	_drop(_lost_request(error))
	lost.emit(error)


## Ends the connection; [method start] begins anew.
func give_up(error: NpcError) -> void:
	state = State.STOPPED
	_drop(error)
	gave_up.emit(error)


## Whichever call notices first that the server is gone: all of them end alike. A server's own word has another reason.
func _is_loss(event: Dictionary) -> bool:
	return state == State.OPEN and event.get("event") == "failed" and event.get("reason") == "UNAVAILABLE"


func _lost_request(error: NpcError) -> NpcError:
	return NpcError.make("UNAVAILABLE", LOST, "The connection was lost before the answer was whole. Ask again. (%s)" % error.message)


func _drop(why: NpcError) -> void:
	if _bridge != null:
		_bridge.shutdown()
	var open := _handlers
	_handlers = {}
	for id: int in open:
		open[id].call({"id": id, "event": "failed", "code": why.code, "reason": why.reason, "message": why.message})


# ---- from nothing to open


func _begin() -> void:
	if not _bridge.is_available():
		var message := "The native library of addons/npc is not there. Build it: see docs/godot.md."
		give_up(NpcError.make("UNAVAILABLE", "BRIDGE_MISSING", message))
	elif not _address.is_empty():
		_connect_to(_address, _token)
	elif _process != null and _process.is_running() and not _process.address.is_empty():
		_connect_to(_process.address, _process.token)
	else:
		_process = NpcProcess.new()
		state = State.STARTING
		var error: NpcError = _process.start(NpcProcess.find_command(), NpcProcess.arguments())
		if error != null:
			lose(error)


func _connect_to(address: String, token: String) -> void:
	state = State.CONNECTING
	var id := _bridge.connect_to(address, token)
	_handlers[id] = func(event: Dictionary) -> void:
		_handlers.erase(id)
		if event.get("event") == "failed":
			lose(NpcError.from_event(event))
		else:
			state = State.OPEN
			opened.emit()
