class_name NpcSession
extends RefCounted
## What stands behind NpcServer: its parts, and the order of things from start to play and back.

var clock := NpcClock.new()
var link := NpcLink.new()
var play := NpcPlay.new(link)
var saves := NpcSaves.new(link)
var talk := NpcTalk.new(link)
## What each character was told to do last, by its id.
var actions: Dictionary[String, NpcAction] = {}

var _server: NpcServerNode
var _waiting: Array[Dictionary] = []
var _address: String = ""
var _token: String = ""
var _was_playing: bool = false
var _last_reason: String = ""


func _init(server: NpcServerNode) -> void:
	_server = server
	# Methods, not lambdas: a lambda that names a member keeps this object alive for ever.
	clock.scale = NpcSettings.number(NpcSettings.TIME_SCALE)
	link.opened.connect(_on_link_opened)
	link.lost.connect(_on_lost)
	link.gave_up.connect(_on_gave_up)
	play.welcomed.connect(_on_welcomed)
	play.broke.connect(_on_stream_broke)
	play.stored.connect(_on_stored)
	play.happened.connect(_on_happened)
	saves.opened.connect(play.begin)
	saves.replaced.connect(_on_replaced)
	saves.refused.connect(_on_refused)
	saves.warned.connect(_on_warned)
	saves.files_changed.connect(_on_files_changed)
	talk.updated.connect(_on_reply_updated)
	talk.answered.connect(_on_answered)
	talk.failed.connect(_on_failed)


## Begins to play a slot. Without an address the project settings say where the server is, or that it is started here.
## Does nothing while that very slot is played, or on its way: each scene may ask for it.
func start(address: String, token: String, slot: String) -> void:
	var is_on_its_way := link.state not in [NpcLink.State.STOPPED, NpcLink.State.WAITING]
	if is_on_its_way and [address, token, slot] == [_address, _token, saves.slot]:
		return
	_server.absent.forget()
	stop()
	saves.slot = slot
	_begin(address, token)


## Ends everything; requests under way fail.
func stop() -> void:
	var error := NpcError.make("CANCELLED", NpcLink.STOPPED, "NpcServer was stopped. Call start() and ask again.")
	link.stop(error)
	play.end()
	play.forget()
	play.epoch = 0
	saves.forget()
	clock.forget()
	actions.clear()
	_was_playing = false
	_last_reason = ""
	_fail_waiting(error)


## What is going on, for NpcServer.state.
func get_state() -> NpcServerNode.State:
	match link.state:
		NpcLink.State.STARTING:
			return NpcServerNode.State.STARTING
		NpcLink.State.CONNECTING:
			return NpcServerNode.State.CONNECTING
		NpcLink.State.WAITING:
			return NpcServerNode.State.WAITING
		NpcLink.State.OPEN:
			return NpcServerNode.State.PLAYING if play.is_open else NpcServerNode.State.OPENING
	return NpcServerNode.State.STOPPED


## Once a frame: the clock, what came in, what goes out.
func run_frame(delta: float) -> void:
	if link.state == NpcLink.State.STOPPED:
		return
	if play.is_open and not play.paused and clock.advance(delta):
		advance_clock(int(clock.now_s), false)
	link.poll()
	if play.is_silent(_server.ack_timeout_s):
		var words := "The server has not answered for %d s; connecting again." % int(_server.ack_timeout_s)
		link.lose(NpcError.make("DEADLINE_EXCEEDED", "SERVER_SILENT", words))
	var before := Time.get_ticks_usec()
	play.flush()
	_server.frame_cost_usec = link.cost_usec + Time.get_ticks_usec() - before


## Moves the clock and tells the minds. Returns the event's number.
func advance_clock(now_s: int, lockstep: bool) -> int:
	clock.told(now_s)
	if lockstep:
		return play.log.add({"clock": {"now_s": now_s, "lockstep": true, "speed": 0.0}})
	return play.log.add_or_replace("clock", {"now_s": now_s, "lockstep": false, "speed": clock.scale})


# ---- requests


## See NpcServer.save_game.
func save_game(to_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	var called := to_slot if not to_slot.is_empty() else saves.slot
	_then(request, func() -> void: _server.saved.emit(called))
	_once_playing(request, func() -> void: play.once_stored(saves.save_to.bind(to_slot, request, _failing(request))))
	return request


## See NpcServer.load_game.
func load_game(from_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	request.failed.connect(_on_not_loaded, CONNECT_ONE_SHOT)
	var begin := func() -> void:
		play.paused = true
		play.forget()
		saves.load_from(from_slot, request, _failing(request))
	_once_playing(request, begin)
	return request


## See NpcServer.new_game.
func new_game(in_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	var slot := in_slot if not in_slot.is_empty() else saves.slot
	if slot.is_empty():
		slot = NpcSettings.text(NpcSettings.SLOT)
	if play.is_open:
		play.end()  # first: the server ends the stream with the session, and that is no loss
		saves.close(_open_anew.bind(slot, request), _go_on.bind(request))
	elif link.state in [NpcLink.State.STARTING, NpcLink.State.CONNECTING, NpcLink.State.WAITING]:
		saves.begin_anew(slot, request)
	else:
		stop()
		saves.begin_anew(slot, request)
		_begin(_address, _token)
	return request


## See NpcServer.apply_persona_changes.
func apply_files() -> NpcRequest:
	var request := NpcRequest.new()
	_then(request, func() -> void: _server.files_applied.emit(NpcSaves.summaries(request.response.get("changes", []))))
	_once_playing(request, func() -> void: saves.apply_files(request, _failing(request)))
	return request


## Asks a character; its answer is streamed.
func ask(method: String, fields: Dictionary) -> NpcReply:
	var reply := _reply_of(fields)
	_once_playing(reply, func() -> void: talk.ask(method, fields.merged({"session_id": saves.session}), reply))
	return reply


## Calls a method of the DialogueService that answers at once.
func tell(method: String, fields: Dictionary) -> NpcReply:
	var reply := _reply_of(fields)
	_once_playing(reply, func() -> void: talk.tell(method, fields.merged({"session_id": saves.session}), reply))
	return reply


## See NpcServer.call_server.
func call_server(method: String, fields: Dictionary) -> NpcRequest:
	var request := NpcRequest.new()
	var begin := func() -> void: link.call_unary(method, fields, request.complete, _failing(request), {"session_id": saves.session})
	_once_playing(request, begin)
	return request


func _reply_of(fields: Dictionary) -> NpcReply:
	var reply := NpcReply.new()
	reply.npc_id = str(fields["npc_id"])
	return reply


## Does it now, or as soon as play begins. When that fails, or nobody called start(), the request fails.
func _once_playing(request: NpcRequest, what: Callable) -> void:
	if link.state == NpcLink.State.OPEN and play.is_open and not play.paused:
		what.call()
	elif link.state == NpcLink.State.STOPPED:
		var words := "NpcServer is not running. Call start() first, and mend what the last failed() told."
		request.fail.call_deferred(NpcError.make("FAILED_PRECONDITION", NpcLink.STOPPED, words))
	else:
		_waiting.append({"request": request, "do": what})


func _then(request: NpcRequest, what: Callable) -> void:
	var ended := func() -> void:
		if request.error == null:
			what.call()
	request.finished.connect(ended, CONNECT_ONE_SHOT)


## Ends a request badly, and says so to all who listen; a lost connection is told once for all requests.
func _failing(request: NpcRequest) -> Callable:
	return func(error: NpcError) -> void:
		if error.reason not in NpcLink.TOLD_ONCE:
			_server.failed.emit(error)
		request.fail(error)


func _fail_waiting(error: NpcError) -> void:
	var waiting := _waiting
	_waiting = []
	for entry: Dictionary in waiting:
		(entry["request"] as NpcRequest).fail(error)
	saves.fail(error)


# ---- from start to play and back


func _begin(address: String, token: String) -> void:
	_address = address
	_token = token
	if address.is_empty() and not NpcSettings.flag(NpcSettings.START):
		var given := OS.get_environment("NPC_SERVER_TOKEN")
		link.start(NpcSettings.text(NpcSettings.ADDRESS), given if not given.is_empty() else NpcSettings.text(NpcSettings.TOKEN))
	else:
		link.start(address, token)


## A new game could not begin: the one that was played goes on.
func _go_on(error: NpcError, request: NpcRequest) -> void:
	_failing(request).call(error)
	if link.state == NpcLink.State.OPEN:
		play.begin(saves.session, play.epoch)


func _open_anew(slot: String, request: NpcRequest) -> void:
	play.forget()
	saves.begin_anew(slot, request)
	saves.open(0)


func _on_link_opened() -> void:
	if saves.session.is_empty():
		saves.open(play.epoch)
	else:
		play.begin(saves.session, play.epoch)


func _on_welcomed(now_s: float) -> void:
	clock.put_first(now_s)
	link.settle()
	_last_reason = ""
	_was_playing = true
	_server.connected.emit()
	var waiting := _waiting
	_waiting = []
	for entry: Dictionary in waiting:
		(entry["do"] as Callable).call()


func _on_happened(kind: String, value: Dictionary) -> void:
	if kind == "action":
		var action := NpcAction.from_message(value)
		var before: NpcAction = actions.get(action.npc_id)
		if before == null or before.action_id != action.action_id:  # else told again after a lost connection
			_server.decisions[action.source] = int(str(_server.decisions.get(action.source, 0))) + 1
		actions[action.npc_id] = action
		_server.action_received.emit(action.npc_id, action)
	else:
		NpcEvents.tell(_server, kind, value)
		if kind == "notice" and value.get("reason") == "FILES_CHANGED":
			_on_files_changed([str(value["message"])])
		elif kind == "notice" and value.get("reason") == "BAD_FILE":
			_server.failed.emit(NpcError.make("INVALID_ARGUMENT", "BAD_FILE", str(value["message"])))


func _on_stored(seq: int) -> void:
	_server.acknowledged.emit(seq)


func _on_refused(error: NpcError) -> void:
	_server.save_refused.emit(saves.slot, error)


func _on_warned(message: String) -> void:
	_server.notice_received.emit("warning", "SAVE_FILES", message)


func _on_reply_updated(reply: NpcReply) -> void:
	_server.answer_updated.emit(reply.npc_id, reply.text)


func _on_answered(reply: NpcReply) -> void:
	_server.answer_finished.emit(reply.npc_id, reply.text, reply.ended)


func _on_failed(error: NpcError) -> void:
	_server.failed.emit(error)


func _on_not_loaded(_error: NpcError) -> void:
	play.paused = false


func _on_replaced(slot: String, epoch: int, now_s: float) -> void:
	play.paused = false
	play.forget()
	play.epoch = epoch
	actions.clear()
	clock.put(now_s)
	_server.loaded.emit(slot)


func _on_files_changed(changes: PackedStringArray) -> void:
	_server.files_changed.emit(changes)
	if NpcSettings.flag(NpcSettings.APPLY_CHANGES):
		apply_files()


func _on_stream_broke(error: NpcError) -> void:
	if error.reason in ["NO_SESSION", "STALE_EPOCH"] and not saves.session.is_empty():
		play.end()
		saves.open(play.epoch)
	else:
		link.lose(error)


func _on_lost(error: NpcError) -> void:
	play.end()
	if error.reason in NpcLink.PASSING:
		saves.forget()
	_tell_loss(error)
	_fail_waiting(error)
	if error.reason != _last_reason:
		_last_reason = error.reason
		_server.failed.emit(error)


func _on_gave_up(error: NpcError) -> void:
	play.end()
	_tell_loss(error)
	_fail_waiting(error)
	_server.failed.emit(error)


func _tell_loss(error: NpcError) -> void:
	if _was_playing:
		_was_playing = false
		_server.disconnected.emit(error.message)
