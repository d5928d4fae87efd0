class_name NpcServerNode
extends Node
## The way to the minds: starts and watches the server, plays one save, and says what the characters do.
##
## Call [method start] once. Everything else may be called at any time: what comes before the server is ready is kept and
## sent then, and what was not stored when a connection broke is sent again. No method waits; answers are signals.

## The save is open and played.
signal connected
## The connection is lost; the next attempt is under way, nothing is lost.
signal disconnected(reason: String)
## Something failed. When [method NpcError.is_passing], it is tried again by itself; else mend it and call start().
signal failed(error: NpcError)
## A character does something else from now on.
signal action_received(npc_id: String, action: NpcAction)
## A mind asks how far places are; NpcAgent answers.
signal path_queried(npc_id: String, query_id: String, addresses: PackedStringArray)
## A character says something aloud. While [param partial], the words so far.
signal speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool)
## What a character thinks, for bubbles and debugging.
signal thought_received(npc_id: String, text: String, source: String)
## A character does something of the game's own, e.g. "accept_quest". Answer with report_game_action whether it happened.
signal game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary)
## Something the player or the developer should be told; level is "info", "warning" or "error".
signal notice_received(level: String, reason: String, message: String)
## Everything up to this number is on the server's disk.
signal acknowledged(seq: int)
## Lockstep: every mind has decided for the clock with this number.
signal settled(seq: int, next_wake_s: int)
## The game was saved to a slot.
signal saved(slot: String)
## A slot was loaded; put the world back to [member game_time_s].
signal loaded(slot: String)
## A piece of the answer to say(), interview(): all words so far.
signal answer_updated(npc_id: String, text: String)
## The whole answer. [param ended] when the character ended the conversation.
signal answer_finished(npc_id: String, text: String, ended: bool)
## The answer to call_server().
signal call_finished(call_id: int, response: Dictionary)
## call_server() failed.
signal call_failed(call_id: int, error: NpcError)

enum State { STOPPED, STARTING, CONNECTING, OPENING, PLAYING, WAITING }

const EVENTS_IN_MESSAGE := 256
const FIRST_RETRY_S := 0.25
const LONGEST_RETRY_S := 8.0

## Game time, in seconds since 1970-01-01 on the game's calendar.
var game_time_s: float = 0.0
## Game seconds in a wall second, while the clock runs by itself.
var time_scale: float = 60.0
## False when the game moves its clock itself, with advance_clock().
var auto_clock: bool = true
## Game seconds between two clocks sent to the minds.
var clock_interval_s: float = 60.0
## Pixels in a metre of the world.
var pixels_per_metre: float = 32.0
## Seconds without an acknowledgement after which the server counts as lost.
var ack_timeout_s: float = 30.0
## Ids of the characters in the open save.
var npc_ids: PackedStringArray = []
## Slot of the open save.
var slot: String = ""
## How often each decided so far: "model", "policy", "instinct".
var decisions: Dictionary = {"model": 0, "policy": 0, "instinct": 0}
## Microseconds the bridge took in the last frame.
var frame_cost_usec: int = 0
## What is going on.
var state: State = State.STOPPED

var _bridge: NpcBridge = null
var _process_of_ours: NpcProcess = null
var _log := NpcPlayLog.new()
var _handlers: Dictionary = {}
var _when_playing: Array[Callable] = []
var _when_stored: Array[Dictionary] = []
var _session: String = ""
var _epoch: int = 0
var _stream: int = -1
var _loading: bool = false
var _welcomed: bool = false
var _time_known: bool = false
var _was_connected: bool = false
var _retry_s: float = FIRST_RETRY_S
var _retry_at_ms: int = 0
var _heard_ms: int = 0
var _last_reason: String = ""
var _last_clock_s: int = 0
var _address: String = ""
var _token: String = ""
var _next_call: int = 1
var _last_actions: Dictionary = {}


## The autoload NpcServer, for scripts that have to compile before the plugin is enabled; null when it is not there.
static func find(node: Node) -> NpcServerNode:
	return node.get_tree().root.get_node_or_null(^"NpcServer") as NpcServerNode if node.is_inside_tree() else null


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS


func _exit_tree() -> void:
	stop()


## Starts the server if the project settings say so, connects, and opens the save, making it when there is none.
## Arguments that are not empty go before the settings.
func start(address: String = "", token: String = "", save_slot: String = "") -> void:
	stop()
	slot = save_slot if not save_slot.is_empty() else NpcSettings.text(NpcSettings.SLOT)
	_address = address
	_token = token
	_bridge = NpcBridge.new()
	_retry_s = FIRST_RETRY_S
	_last_reason = ""
	if address.is_empty() and not NpcSettings.flag(NpcSettings.START):
		_address = NpcSettings.text(NpcSettings.ADDRESS)
		var given := OS.get_environment("NPC_SERVER_TOKEN")
		_token = given if not given.is_empty() else NpcSettings.text(NpcSettings.TOKEN)
	_begin()


## Ends the session and the server that the game started. The server keeps what was not saved; the next start goes on from it.
func stop() -> void:
	if _bridge != null:
		_bridge.shutdown()
	_bridge = null
	if _process_of_ours != null:
		_process_of_ours.stop()
	_process_of_ours = null
	_forget_session()
	_log.clear()
	_when_playing.clear()
	_when_stored.clear()
	_epoch = 0
	_time_known = false
	_was_connected = false
	state = State.STOPPED


## True while actions come and perceptions are stored.
func is_playing() -> bool:
	return state == State.PLAYING


## Process id of the server that the game started; -1 if it did not.
func get_server_pid() -> int:
	return _process_of_ours.get_pid() if _process_of_ours != null else -1


# ---- what the game tells


## A character noticed something. [param kind]: "person", "object", "speech", "event" or "place". Returns the event's number.
func perceive(npc_id: String, kind: String, subject: String, text: String, address: String, distance_m: float = 0.0) -> int:
	return _tell(
		{
			"perception":
			{
				"npc_id": npc_id,
				"kind": "PERCEPTION_KIND_" + kind.to_upper(),
				"subject": subject,
				"text": text,
				"address": address,
				"distance_m": distance_m,
				"at_s": int(game_time_s),
			}
		}
	)


## How an action goes on. [param status]: "arrived", "done" or "failed" (then with a reason such as "the door is locked").
func report_outcome(npc_id: String, action_id: String, status: String, address: String, reason: String = "") -> int:
	var outcome := {
		"npc_id": npc_id, "action_id": action_id, "status": "OUTCOME_STATUS_" + status.to_upper(), "address": address, "reason": reason
	}
	return _tell({"outcome": outcome})


## An object got another state. [param by]: a character's id or a player's name.
func report_object(address: String, new_state: String, by: String = "") -> int:
	return _tell({"object_change": {"address": address, "state": new_state, "by": by}})


## Whether an action of game_action_received happened. [param reason] says why not, as a phrase; the character remembers it.
func report_game_action(npc_id: String, call_id: String, happened: bool, reason: String = "") -> int:
	return _tell({"game_action_result": {"npc_id": npc_id, "call_id": call_id, "happened": happened, "reason": reason}})


## Where a body is, without an action. [param player_distance_m] is negative when no player is near.
func report_whereabouts(npc_id: String, address: String, player_distance_m: float = -1.0) -> int:
	return _tell({"whereabouts": {"npc_id": npc_id, "address": address, "player_distance_m": player_distance_m}})


## Answers path_queried. Each reach: {"address", "reachable", "travel_s" (game seconds), "free"}.
func answer_path_query(npc_id: String, query_id: String, reaches: Array[Dictionary]) -> int:
	return _tell({"path_result": {"npc_id": npc_id, "query_id": query_id, "reaches": reaches}})


## Moves the clock. With [param lockstep] the minds settle before the game goes on, see settled. Returns the event's number.
func advance_clock(now_s: int, lockstep: bool = false) -> int:
	game_time_s = maxf(game_time_s, float(now_s))
	_last_clock_s = now_s
	if lockstep:
		return _tell({"clock": {"now_s": now_s, "lockstep": true, "speed": 0.0}})
	return _log.add_or_replace("clock", {"now_s": now_s, "lockstep": false, "speed": time_scale})


# ---- saving, talking, asking


## Writes what the minds hold to a slot, after all that was told before is stored; then saved.
func save_game(to_slot: String = "") -> void:
	_when_stored.append({"seq": _log.last_seq, "do": _save_now.bind(to_slot)})


## Replaces what the minds hold by a slot; thoughts of the abandoned time are thrown away; then loaded.
func load_game(from_slot: String = "") -> void:
	_once_playing(_load_now.bind(from_slot))


## Says something to a character as a named person; answer_updated and answer_finished follow.
func say(npc_id: String, speaker: String, text: String) -> void:
	_once_playing(func() -> void: _ask("DialogueService/Say", {"npc_id": npc_id, "speaker": speaker, "text": text}))


## Asks a character a question that leaves no memory; answer_updated and answer_finished follow.
func interview(npc_id: String, question: String) -> void:
	_once_playing(func() -> void: _ask("DialogueService/Interview", {"npc_id": npc_id, "question": question}))


## Speaks as a character's inner voice, which it takes as its own intention.
func whisper(npc_id: String, text: String) -> void:
	_once_playing(func() -> void: _call("DialogueService/Whisper", {"npc_id": npc_id, "text": text}, _ignore, _report))


## Any other unary method of npc.proto; the session's id is added where the method takes one. Returns a number that
## call_finished or call_failed names.
func call_server(method: String, request: Dictionary) -> int:
	var number := _next_call
	_next_call += 1
	_once_playing(
		func() -> void:
			_call(
				method,
				request,
				func(response: Dictionary) -> void: call_finished.emit(number, response),
				func(error: NpcError) -> void: call_failed.emit(number, error)
			)
	)
	return number


# ---- the frame


func _process(delta: float) -> void:
	if _bridge == null:
		return
	if state == State.PLAYING and auto_clock:
		game_time_s += delta * time_scale
		if game_time_s >= _last_clock_s + clock_interval_s:
			advance_clock(int(game_time_s))
	var before := Time.get_ticks_usec()
	var events := _bridge.drain()
	var cost := Time.get_ticks_usec() - before
	for event: Dictionary in events:
		var handler: Variant = _handlers.get(event.get("id", 0))
		if handler is Callable:
			(handler as Callable).call(event)
		elif event.get("event") == "failed" and not event.has("id"):
			_give_up(NpcError.from_event(event))
		if _bridge == null:
			return
	_watch()
	before = Time.get_ticks_usec()
	_flush()
	frame_cost_usec = cost + Time.get_ticks_usec() - before


func _watch() -> void:
	var now := Time.get_ticks_msec()
	match state:
		State.STARTING:
			var error: NpcError = _process_of_ours.poll()
			if error != null:
				_lose(error)
			elif not _process_of_ours.address.is_empty():
				_connect_to(_process_of_ours.address, _process_of_ours.token)
		State.WAITING:
			if now >= _retry_at_ms:
				_begin()
		State.PLAYING:
			if _log.waiting() == 0:
				_heard_ms = now
			elif now - _heard_ms > ack_timeout_s * 1000.0:
				_lose(
					NpcError.make(
						"DEADLINE_EXCEEDED", "SERVER_SILENT", "The server has not answered for %d s; connecting again." % int(ack_timeout_s)
					)
				)


func _flush() -> void:
	if state != State.PLAYING or _loading:
		return
	while _log.has_unsent():
		_bridge.send(_stream, {"session_id": _session, "epoch": _epoch, "events": _log.take(EVENTS_IN_MESSAGE)})
	while not _when_stored.is_empty() and int(_when_stored[0]["seq"]) <= _log.last_stored_seq:
		var waiting: Dictionary = _when_stored.pop_front()
		(waiting["do"] as Callable).call()


# ---- from nothing to playing


func _begin() -> void:
	if not _bridge.is_available():
		_give_up(
			NpcError.make("UNAVAILABLE", "BRIDGE_MISSING", "The native library of addons/npc is not there. Build it: see docs/godot.md.")
		)
	elif not _address.is_empty():
		_connect_to(_address, _token)
	elif _process_of_ours != null and _process_of_ours.is_running() and not _process_of_ours.address.is_empty():
		_connect_to(_process_of_ours.address, _process_of_ours.token)
	else:
		_process_of_ours = NpcProcess.new()
		var command := OS.get_environment("NPC_SERVER_COMMAND")
		if command.is_empty():
			command = NpcSettings.text(NpcSettings.COMMAND)
		state = State.STARTING
		var error: NpcError = _process_of_ours.start(command, NpcSettings.list(NpcSettings.ARGUMENTS))
		if error != null:
			_lose(error)


func _connect_to(address: String, token: String) -> void:
	state = State.CONNECTING
	_handlers.clear()
	_expect(_bridge.connect_to(address, token), func(_event: Dictionary) -> void: _on_channel(), _lose)


func _on_channel() -> void:
	state = State.OPENING
	if _session.is_empty():
		_open_save()
	else:
		_play()


func _open_save() -> void:
	_session = ""
	var request := {"slot": slot, "resume_epoch": _epoch, "discard_unsaved": false}
	_call("SaveService/OpenSave", request, _on_opened, _on_not_opened)


func _on_not_opened(error: NpcError) -> void:
	if error.reason != "SAVE_NOT_FOUND":
		_lose(error)
		return
	var town: Variant = _document(NpcSettings.text(NpcSettings.TOWN))
	var personas := _documents(NpcSettings.text(NpcSettings.PERSONAS))
	if personas.is_empty():
		var folder := NpcSettings.text(NpcSettings.PERSONAS)
		_give_up(
			NpcError.make(
				"NOT_FOUND", "NO_PERSONAS", "There is no persona file in %s. Put one there, or mend %s." % [folder, NpcSettings.PERSONAS]
			)
		)
		return
	var policies: Variant = _document(NpcSettings.text(NpcSettings.POLICIES))
	var request := {
		"slot": slot,
		"town": town,
		"personas": personas,
		"seed": NpcSettings.whole(NpcSettings.SEED),
		"policies": [] if policies == null else [policies],
	}
	_call("SaveService/CreateSave", request, _on_created, _lose)


func _on_created(response: Dictionary) -> void:
	for warning: Variant in response.get("warnings", []) as Array:
		notice_received.emit("warning", "CREATE_SAVE", str(warning))
	_open_save()


func _on_opened(response: Dictionary) -> void:
	_session = str(response.get("session_id", ""))
	var epoch: int = response.get("epoch", 0)
	if epoch != _epoch:
		_log.renumber()
	_epoch = epoch
	npc_ids = PackedStringArray(response.get("npc_ids", []) as Array)
	_play()


func _play() -> void:
	_welcomed = false
	_stream = _bridge.open_stream("WorldService/Play", {"session_id": _session, "epoch": _epoch})
	_handlers[_stream] = _on_stream.bind(_stream)


func _on_stream(event: Dictionary, stream: int) -> void:
	if stream != _stream:
		return
	match event.get("event"):
		"message":
			_heard_ms = Time.get_ticks_msec()
			var message: Dictionary = event.get("message", {})
			if _loading or (int(str(message.get("epoch", 0))) < _epoch):
				return
			for item: Variant in message.get("events", []) as Array:
				_on_mind_event(item as Dictionary)
		"failed":
			var error := NpcError.from_event(event)
			if error.reason in ["NO_SESSION", "STALE_EPOCH"] and not _session.is_empty():
				_forget_session()
				state = State.OPENING
				_open_save()
			else:
				_lose(error)
		"finished":
			_lose(NpcError.make("UNAVAILABLE", "STREAM_ENDED", "The server ended the stream; connecting again."))


func _on_welcome(welcome: Dictionary) -> void:
	_epoch = welcome.get("epoch", _epoch)
	_log.acknowledge(int(str(welcome.get("last_stored_seq", 0))))
	_log.rewind()
	if not _time_known:
		game_time_s = float(str(welcome.get("now_s", 0)))
		_last_clock_s = int(game_time_s)
		_time_known = true
	_welcomed = true
	_retry_s = FIRST_RETRY_S
	_last_reason = ""
	_heard_ms = Time.get_ticks_msec()
	state = State.PLAYING
	_was_connected = true
	connected.emit()
	var ready := _when_playing
	_when_playing = []
	for call: Callable in ready:
		call.call()


func _on_mind_event(event: Dictionary) -> void:
	for kind: String in event:
		var value: Dictionary = event[kind]
		match kind:
			"welcome":
				_on_welcome(value)
			"ack":
				_log.acknowledge(int(str(value.get("seq", 0))))
				acknowledged.emit(_log.last_stored_seq)
			"action":
				var action := NpcAction.from_message(value)
				if _last_actions.get(action.npc_id, "") != action.action_id:  # told again after a lost connection
					decisions[action.source] = int(str(decisions.get(action.source, 0))) + 1
				_last_actions[action.npc_id] = action.action_id
				action_received.emit(action.npc_id, action)
			"path_query":
				path_queried.emit(str(value["npc_id"]), str(value["query_id"]), PackedStringArray(value["addresses"] as Array))
			"speech":
				speech_received.emit(
					str(value["npc_id"]), str(value["text"]), PackedStringArray(value["to"] as Array), bool(value["partial"])
				)
			"thought":
				thought_received.emit(str(value["npc_id"]), str(value["text"]), NpcAction.source_name(value["source"]))
			"game_action":
				var parsed: Variant = JSON.parse_string(str(value["arguments_json"]))
				var arguments: Dictionary = parsed if parsed is Dictionary else {}
				game_action_received.emit(str(value["npc_id"]), str(value["call_id"]), str(value["name"]), arguments)
			"settled":
				settled.emit(int(str(value["seq"])), int(str(value["next_wake_s"])))
			"notice":
				notice_received.emit(
					str(value["level"]).trim_prefix("NOTICE_LEVEL_").to_lower(), str(value["reason"]), str(value["message"])
				)


# ---- losing and giving up


func _lose(error: NpcError) -> void:
	if not (error.is_passing() or error.reason in ["SAVE_IN_USE", "NO_SESSION"]):
		_give_up(error)
		return
	var was_playing := state == State.PLAYING
	_bridge.shutdown()
	_handlers.clear()
	_stream = -1
	_loading = false
	_log.rewind()
	if error.reason in ["NO_SESSION", "SAVE_IN_USE"]:
		_session = ""
	state = State.WAITING
	_retry_at_ms = Time.get_ticks_msec() + int(_retry_s * 1000.0)
	_retry_s = minf(_retry_s * 2.0, LONGEST_RETRY_S)
	if was_playing:
		disconnected.emit(error.message)
	if error.reason != _last_reason:
		_last_reason = error.reason
		failed.emit(error)


func _give_up(error: NpcError) -> void:
	var was_playing := state == State.PLAYING
	if _bridge != null:
		_bridge.shutdown()
	_handlers.clear()
	_stream = -1
	_log.rewind()
	state = State.STOPPED
	if was_playing:
		disconnected.emit(error.message)
	failed.emit(error)


func _forget_session() -> void:
	_session = ""
	_stream = -1
	_loading = false
	_handlers.clear()


# ---- calls


func _expect(id: int, on_done: Callable, on_failed: Callable) -> void:
	_handlers[id] = func(event: Dictionary) -> void:
		_handlers.erase(id)
		if event.get("event") == "failed":
			on_failed.call(NpcError.from_event(event))
		else:
			on_done.call(event)


func _call(method: String, request: Dictionary, on_done: Callable, on_failed: Callable) -> void:
	var unwrapped := func(event: Dictionary) -> void: on_done.call(event.get("message", {}))
	_expect(_bridge.call_unary(method, request, NpcBridge.DEFAULT_TIMEOUT_S, {"session_id": _session}), unwrapped, on_failed)


func _ask(method: String, request: Dictionary) -> void:
	request["session_id"] = _session
	var npc_id := str(request["npc_id"])
	var id := _bridge.open_stream(method, request)
	var heard: Array[String] = [""]
	_handlers[id] = func(event: Dictionary) -> void:
		if event.get("event") == "failed":
			_handlers.erase(id)
			failed.emit(NpcError.from_event(event))
		elif event.get("event") == "finished":
			_handlers.erase(id)
		else:
			var message: Dictionary = event.get("message", {})
			heard[0] += str(message.get("delta", ""))
			if message.get("done", false):
				answer_finished.emit(npc_id, str(message.get("full_text", heard[0])), bool(message.get("ended", false)))
			else:
				answer_updated.emit(npc_id, heard[0])


func _tell(event: Dictionary) -> int:
	return _log.add(event)


func _once_playing(call: Callable) -> void:
	if state == State.PLAYING:
		call.call()
	else:
		_when_playing.append(call)


func _save_now(to_slot: String) -> void:
	_call(
		"SaveService/SaveGame",
		{"slot": to_slot},
		func(_response: Dictionary) -> void: saved.emit(to_slot if not to_slot.is_empty() else slot),
		_report
	)


func _load_now(from_slot: String) -> void:
	_loading = true
	_log.clear()
	_call("SaveService/LoadGame", {"slot": from_slot}, _on_loaded.bind(from_slot), _on_not_loaded)


func _on_loaded(response: Dictionary, from_slot: String) -> void:
	_loading = false
	_epoch = response.get("epoch", _epoch)
	_log.clear()
	var save: Dictionary = response.get("save", {})
	game_time_s = float(str(save.get("game_time_s", 0)))
	_last_clock_s = int(game_time_s)
	loaded.emit(from_slot if not from_slot.is_empty() else slot)


func _on_not_loaded(error: NpcError) -> void:
	_loading = false
	_report(error)


func _report(error: NpcError) -> void:
	failed.emit(error)


func _ignore(_response: Dictionary) -> void:
	pass


# ---- documents


func _document(path: String) -> Variant:
	if path.is_empty():
		return null
	return {"name": path.get_file(), "text": FileAccess.get_file_as_string(path)}


func _documents(folder: String) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	if not DirAccess.dir_exists_absolute(folder):
		return found
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() in ["yaml", "yml"]:
			found.append({"name": "personas/" + file, "text": FileAccess.get_file_as_string(folder.path_join(file))})
	return found
