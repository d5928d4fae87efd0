class_name NpcLink
extends RefCounted
## The connection to the server. It starts the server if the game has to, connects, and connects again after a loss.
##
## Every request is answered. When the connection is lost, open requests fail with the reason CONNECTION_LOST.

## Emitted when the server can be called.
signal opened
## Emitted when the connection is lost and will be tried again.
signal lost(error: NpcError)
## Emitted when the connection is not tried again until [method start]. Somebody must fix the error first.
signal gave_up(error: NpcError)

## What the connection is doing.
enum State { STOPPED, STARTING, CONNECTING, OPEN, WAITING }

## The first pause between two attempts to connect, in seconds. Each following one is twice as long.
const FIRST_PAUSE_S := 0.25
## The longest pause, in seconds.
const LONGEST_PAUSE_S := 30.0
## The reason of a request whose connection was lost.
const LOST := "CONNECTION_LOST"
## The reason of a request that stop() has ended.
const STOPPED := "STOPPED"
## Reasons that are not reported for each request: [signal NpcServerNode.disconnected] or the caller of stop() covers
## them.
const REPORTED_ONCE: Array[String] = [LOST, STOPPED]
## Reasons for which the socket takes the native library's place.
const NATIVE_BROKEN: Array[String] = ["BRIDGE_PYTHON", "BRIDGE_STOPPED"]
## Reasons that are temporary although their code does not say so.
const TEMPORARY: Array[String] = ["SAVE_IN_USE", "NO_SESSION"]

## What the connection is doing.
var state: State = State.STOPPED
## Microseconds that the transport took in this frame.
var cost_usec: int = 0

var _bridge: NpcBridge = null
var _process: NpcProcess = null
var _handlers: Dictionary[int, Callable] = {}
var _address: String = ""
var _token: String = ""
var _pause_s: float = FIRST_PAUSE_S
var _retry_at_ms: int = 0


## Connects to a server. With an empty address it starts one.
func start(address: String, token: String) -> void:
	_address = address
	_token = token
	_bridge = NpcBridge.new(NpcSocket.new() if NpcAddress.has_scheme(address) else null)
	_pause_s = FIRST_PAUSE_S
	_begin()


## Closes the connection, and ends the server if it was started here.
func stop(why: NpcError) -> void:
	state = State.STOPPED
	_drop(why)
	_bridge = null
	if _process != null:
		_process.stop()
	_process = null


## Returns the process id of a server that was started here, else -1.
func get_server_pid() -> int:
	return _process.get_pid() if _process != null else -1


## Hands out events, and watches the server process and the time of the next attempt. Call it once per frame.
func poll() -> void:
	if _bridge == null:
		return
	var before := Time.get_ticks_usec()
	var bridge := _bridge
	var events := bridge.drain()
	cost_usec = Time.get_ticks_usec() - before
	for event: Dictionary in events:
		var handler: Variant = _handlers.get(event.get("id", 0))
		if handler is Callable and _is_loss(event):
			lose(NpcError.from_event(event))
		elif handler is Callable:
			(handler as Callable).call(event)
		elif event.get("event") == "failed" and not event.has("id"):
			give_up(NpcError.from_event(event))
		if _bridge != bridge:
			return  # the other events are of calls that are over
	if state == State.STARTING:
		var error: NpcError = _process.poll()
		if error != null:
			lose(error)
		elif not _process.address.is_empty():
			_connect_to_process()
	elif state == State.WAITING and Time.get_ticks_msec() >= _retry_at_ms:
		_begin()


## Makes the next pause short again. Called when the connection works.
func reset_pause() -> void:
	_pause_s = FIRST_PAUSE_S


# ---- calls


## Calls a unary method. Calls either [param on_done] with the response or [param on_failed] with an [NpcError].
func call_unary(method: String, request: Dictionary, on_done: Callable, on_failed: Callable, defaults: Dictionary = {}) -> void:
	var id := _bridge.call_unary(method, request, 0.0, defaults)
	_handlers[id] = func(event: Dictionary) -> void:
		_handlers.erase(id)
		if event.get("event") == "failed":
			on_failed.call(NpcError.from_event(event))
		else:
			on_done.call(event.get("message", {}))


## Opens a stream and returns its id. [param on_event] gets each event; the last is "finished" or "failed".
func open_stream(method: String, request: Dictionary, on_event: Callable) -> int:
	var id := _bridge.open_stream(method, request)
	_handlers[id] = func(event: Dictionary) -> void:
		if event.get("event") in ["failed", "finished"]:
			_handlers.erase(id)
		on_event.call(event)
	return id


## Sends another message on a stream.
func send(stream: int, message: Dictionary) -> void:
	_bridge.send(stream, message)


## Cancels a stream. Its handler is not called again.
func cancel(stream: int) -> void:
	if _handlers.erase(stream):
		_bridge.cancel(stream)


# ---- losing and giving up


## Treats the connection as lost. It is tried again, unless [param error] is permanent.
func lose(error: NpcError) -> void:
	if state in [State.WAITING, State.STOPPED]:
		return
	if not (error.is_temporary() or error.reason in TEMPORARY):
		give_up(error)
		return
	state = State.WAITING
	_retry_at_ms = Time.get_ticks_msec() + int(_pause_s * 1000.0)
	_pause_s = minf(_pause_s * 2.0, LONGEST_PAUSE_S)
	_drop(_lost_request(error))
	lost.emit(error)


## Closes the connection until [method start] is called. With the transport auto, the socket is tried first.
func give_up(error: NpcError) -> void:
	if error.reason in NATIVE_BROKEN and _bridge.is_native() and NpcTransport.get_wanted() == NpcTransport.AUTO:
		_take_socket(error)
		return
	state = State.STOPPED
	_drop(error)
	gave_up.emit(error)


## Takes the socket instead of a native library that does not work.
func _take_socket(error: NpcError) -> void:
	push_warning("The native bridge does not work, so the socket is used. %s" % error.message)
	var was_open := state == State.OPEN
	if was_open:
		lose(_lost_request(error))
	_handlers = {}
	_bridge = NpcBridge.new(NpcSocket.new())
	if not was_open:
		_begin()


## Several calls may notice that the server is gone. All of them get the same error, whichever notices first.
func _is_loss(event: Dictionary) -> bool:
	return state == State.OPEN and event.get("event") == "failed" and event.get("reason") == "UNAVAILABLE"


func _lost_request(error: NpcError) -> NpcError:
	return NpcError.make("UNAVAILABLE", LOST, "The connection was lost before the answer was complete. Ask again. (%s)" % error.message)


func _drop(why: NpcError) -> void:
	if _bridge != null:
		_bridge.shutdown()
	var open := _handlers
	_handlers = {}
	for id: int in open:
		open[id].call({"id": id, "event": "failed", "code": why.code, "reason": why.reason, "message": why.message})


# ---- from start to open


func _begin() -> void:
	if not _bridge.is_available():
		give_up(NpcError.make("UNAVAILABLE", "BRIDGE_MISSING", NpcNative.MISSING))
	elif not _address.is_empty():
		_connect_to_named()
	elif _process != null and _process.is_running():
		if _process.address.is_empty():
			state = State.STARTING
		else:
			_connect_to_process()
	else:
		_process = NpcProcess.new()
		state = State.STARTING
		var error: NpcError = _process.start(NpcProgram.find(), NpcProcess.get_arguments())
		if error != null:
			lose(error)


## Connects to the server that somebody named. Its certificate may be one that only the project trusts.
func _connect_to_named() -> void:
	var file := NpcSettings.get_text(NpcSettings.CERTIFICATE)
	if not file.is_empty() and not FileAccess.file_exists(file):
		var words := "There is no certificate %s. Correct %s." % [file, NpcSettings.CERTIFICATE]
		give_up(NpcError.make("NOT_FOUND", "NO_CERTIFICATE", words))
		return
	var certificate := FileAccess.get_file_as_string(file) if not file.is_empty() else ""
	_connect_to(_address if _bridge.is_native() else NpcSettings.get_socket_address(_address), _token, certificate)


func _connect_to_process() -> void:
	var address := _process.address if _bridge.is_native() else _process.socket
	if address.is_empty():
		var words := "This npc-server has no socket: it is older than the addon, or serves other machines. Use one of the addon's version."
		give_up(NpcError.make("FAILED_PRECONDITION", "NO_SOCKET", words))
	else:
		_connect_to(address, _process.token)


func _connect_to(address: String, token: String, certificate: String = "") -> void:
	state = State.CONNECTING
	var id := _bridge.connect_to(address, token, certificate)
	_handlers[id] = func(event: Dictionary) -> void:
		_handlers.erase(id)
		if event.get("event") == "failed":
			lose(NpcError.from_event(event))
		else:
			state = State.OPEN
			opened.emit()
