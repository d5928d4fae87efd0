class_name NpcSession
extends RefCounted
## The parts behind NpcServer, and the order of events from the start to play and back.

## The game clock.
var clock := NpcClock.new()
## The connection.
var link := NpcLink.new()
## The Play stream.
var play := NpcPlay.new(link)
## The open save.
var saves := NpcSaves.new(link)
## Lines to characters.
var talk := NpcTalk.new(link)
## Whether the scene and the town have the same addresses.
var scene_check: NpcSceneCheck
## What the minds have told.
var minds: NpcMinds
## What everybody does without a server.
var routines: NpcRoutines
## What happens to changed files.
var changed_files: NpcChangedFiles

var _server: NpcServerNode
var _waiting: Array[Dictionary] = []
## What waits only for the connection.
var _waiting_for_link: Array[Dictionary] = []
var _address: String = ""
var _token: String = ""
var _was_playing: bool = false
var _last_reason: String = ""


func _init(server: NpcServerNode) -> void:
	_server = server
	scene_check = NpcSceneCheck.new(server, link, saves)
	minds = NpcMinds.new(server)
	routines = NpcRoutines.new(server, self)
	changed_files = NpcChangedFiles.new(server)
	# Methods and not lambdas: a lambda that uses a member would keep this object alive for ever.
	clock.scale = NpcSettings.get_float(NpcSettings.TIME_SCALE)
	clock.runs_while_paused = NpcSettings.get_flag(NpcSettings.RUNS_WHILE_PAUSED)
	link.opened.connect(_on_link_opened)
	link.lost.connect(_on_lost)
	link.gave_up.connect(_on_gave_up)
	play.welcomed.connect(_on_welcomed)
	play.broke.connect(_on_stream_broke)
	play.stored.connect(server.acknowledged.emit)
	play.happened.connect(changed_files.take_notice)
	play.happened.connect(minds.take)
	saves.opened.connect(play.begin)
	saves.replaced.connect(_on_replaced)
	saves.refused.connect(_on_refused)
	saves.warned.connect(_on_warned)
	saves.files_changed.connect(changed_files.take)
	talk.updated.connect(_on_reply_updated)
	talk.answered.connect(_on_answered)
	talk.failed.connect(server.failed.emit)


## Begins to play a slot. Without an address the project settings say where the server is, or that the game starts it.
## Does nothing if the slot is already being played or opened, so every scene may call it.
func start(address: String, token: String, slot: String) -> void:
	var is_on_its_way := link.state not in [NpcLink.State.STOPPED, NpcLink.State.WAITING]
	if is_on_its_way and [address, token, slot] == [_address, _token, saves.slot]:
		return
	if is_on_its_way and _is_idle() and [address, token] == [_address, _token]:
		saves.slot = slot
		if link.state == NpcLink.State.OPEN:
			saves.open(0)
		return
	_server.stop()
	saves.slot = slot
	_begin(address, token)


## Ends everything. Open requests fail.
func stop() -> void:
	NpcLastWords.keep(_server, link, play, talk)
	routines.end()
	var error := NpcError.make("CANCELLED", NpcLink.STOPPED, "NpcServer was stopped. Call start() and ask again.")
	link.stop(error)
	play.end()
	play.forget()
	play.epoch = 0
	saves.forget()
	clock.forget()
	minds.forget()
	_was_playing = false
	_last_reason = ""
	_fail_waiting(error)


## Returns the state for [member NpcServerNode.state].
func get_state() -> NpcServerNode.State:
	match link.state:
		NpcLink.State.STARTING:
			return NpcServerNode.State.STARTING
		NpcLink.State.CONNECTING:
			return NpcServerNode.State.CONNECTING
		NpcLink.State.WAITING:
			return NpcServerNode.State.WAITING
		NpcLink.State.OPEN:
			if _is_idle():
				return NpcServerNode.State.IDLE
			return NpcServerNode.State.PLAYING if play.is_open else NpcServerNode.State.OPENING
	return NpcServerNode.State.STOPPED


## Advances the clock, handles what has arrived, and sends what waits. Called once per frame.
func run_frame(delta: float) -> void:
	routines.step(delta, _server.get_tree().paused)
	if link.state == NpcLink.State.STOPPED:
		return
	if play.is_open and not play.paused and clock.advance(delta, _server.get_tree().paused):
		advance_clock(floori(clock.now_s), false)
	link.poll()
	if play.is_open and not play.paused:
		scene_check.run()
	if play.is_silent(_server.ack_timeout_s):
		var words := "The server has not answered for %d s. Connecting again." % int(_server.ack_timeout_s)
		link.lose(NpcError.make("DEADLINE_EXCEEDED", "SERVER_SILENT", words))
	var before := Time.get_ticks_usec()
	play.flush()
	_server.frame_cost_usec = link.cost_usec + Time.get_ticks_usec() - before


## Moves the clock and sends it to the server. Returns the event's number.
func advance_clock(now_s: int, lockstep: bool) -> int:
	clock.mark_sent(now_s)
	if lockstep:
		return play.log.add({"clock": {"now_s": now_s, "lockstep": true, "speed": 0.0}})
	return play.log.add_or_replace("clock", {"now_s": now_s, "lockstep": false, "speed": clock.scale})


# ---- requests


## See [method NpcServerNode.save_game].
func save_game(to_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	var called := to_slot if not to_slot.is_empty() else saves.slot
	_then(request, func() -> void: _server.saved.emit(called))
	once_playing(request, func() -> void: play.once_stored(saves.save_to.bind(to_slot, request, _failing(request))))
	return request


## See [method NpcServerNode.load_game].
func load_game(from_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	request.failed.connect(_on_not_loaded, CONNECT_ONE_SHOT)
	var begin := func() -> void:
		play.paused = true
		play.forget()
		saves.load_from(from_slot, request, _failing(request))
	once_playing(request, begin)
	return request


## See [method NpcServerNode.new_game].
func new_game(in_slot: String) -> NpcRequest:
	var request := NpcRequest.new()
	var slot := in_slot if not in_slot.is_empty() else saves.slot
	if slot.is_empty():
		slot = NpcSettings.get_text(NpcSettings.SLOT)
	if play.is_open:
		play.end()  # first, because the server ends the stream with the session, and that is no loss
		saves.close(_open_anew.bind(slot, request), _go_on.bind(request))
	elif link.state == NpcLink.State.OPEN and _is_idle():
		_open_anew(slot, request)
	elif link.state in [NpcLink.State.STARTING, NpcLink.State.CONNECTING, NpcLink.State.WAITING]:
		saves.replace_on_open(slot, request)
	else:
		stop()
		saves.replace_on_open(slot, request)
		_begin(_address, _token)
	return request


## See [method NpcServerNode.apply_persona_changes].
func apply_files() -> NpcRequest:
	var request := NpcRequest.new()
	_then(request, func() -> void: _server.files_applied.emit(NpcSaves.get_summaries(request.response.get("changes", []))))
	changed_files.report(request)
	scene_check.wait_for(request)
	once_playing(request, func() -> void: saves.apply_files(request, _failing(request)))
	return request


## Calls a streaming method of the DialogueService.
func ask(method: String, fields: Dictionary) -> NpcReply:
	var reply := _reply_of(fields)
	if method == "Say" and routines.is_on:
		return routines.greet(reply)
	var begin := func() -> void: talk.ask(method, fields.merged({"session_id": saves.session}), reply)
	once_playing(reply, play.once_restrained.bind(begin))
	return reply


## Calls a unary method of the DialogueService.
func tell(method: String, fields: Dictionary) -> NpcReply:
	var reply := _reply_of(fields)
	once_playing(reply, func() -> void: talk.tell(method, fields.merged({"session_id": saves.session}), reply))
	return reply


## See [method NpcServerNode.call_server].
func call_server(method: String, fields: Dictionary) -> NpcRequest:
	var request := NpcRequest.new()
	if method == NpcSceneCheck.REGISTER:
		scene_check.wait_for(request)
	var begin := func() -> void: link.call_unary(method, fields, request.complete, _failing(request), {"session_id": saves.session})
	once_playing(request, begin)
	return request


## Calls a method of the SaveService that needs no open save. Starts the server if it does not run.
func manage_saves(method: String, fields: Dictionary) -> NpcRequest:
	var request := NpcRequest.new()
	var begin := func() -> void: link.call_unary("SaveService/" + method, fields, request.complete, _failing(request))
	if link.state == NpcLink.State.OPEN:
		begin.call()
		return request
	_waiting_for_link.append({"request": request, "do": begin})
	if link.state == NpcLink.State.STOPPED:
		saves.slot = ""
		_begin(_address, _token)
	return request


func _reply_of(fields: Dictionary) -> NpcReply:
	var reply := NpcReply.new()
	reply.npc_id = str(fields["npc_id"])
	return reply


## Calls [param what] now, or when play begins. If nobody has called start(), the request fails.
func once_playing(request: NpcRequest, what: Callable) -> void:
	if link.state == NpcLink.State.OPEN and play.is_open and not play.paused:
		what.call()
	elif link.state == NpcLink.State.STOPPED or _is_idle():
		var words := "NpcServer is not running. Fix the error of the last failed signal, if any, and call start()."
		request.fail.call_deferred(NpcError.make("FAILED_PRECONDITION", NpcLink.STOPPED, words))
	else:
		_waiting.append({"request": request, "do": what})


func _then(request: NpcRequest, what: Callable) -> void:
	var ended := func() -> void:
		if request.error == null:
			what.call()
	request.finished.connect(ended, CONNECT_ONE_SHOT)


## Returns a handler that fails a request and emits failed. A lost connection is not reported for each request.
func _failing(request: NpcRequest) -> Callable:
	return func(error: NpcError) -> void:
		if error.reason not in NpcLink.REPORTED_ONCE:
			_server.failed.emit(error)
		request.fail(error)


func _fail_waiting(error: NpcError) -> void:
	var waiting := _waiting + _waiting_for_link
	_waiting = []
	_waiting_for_link = []
	for entry: Dictionary in waiting:
		(entry["request"] as NpcRequest).fail(error)
	saves.fail(error)


# ---- from start to play and back


func _begin(address: String, token: String) -> void:
	_address = address
	_token = token
	if address.is_empty() and NpcSettings.names_server():
		var given := OS.get_environment("NPC_SERVER_TOKEN")
		link.start(NpcSettings.get_text(NpcSettings.ADDRESS), given if not given.is_empty() else NpcSettings.get_text(NpcSettings.TOKEN))
	else:
		link.start(address, token)


## Continues the current play, because a new game could not begin.
func _go_on(error: NpcError, request: NpcRequest) -> void:
	_failing(request).call(error)
	if link.state == NpcLink.State.OPEN:
		play.begin(saves.session, play.epoch)


func _open_anew(slot: String, request: NpcRequest) -> void:
	play.forget()
	saves.replace_on_open(slot, request)
	saves.open(0)


## Returns [code]true[/code] if no save is to be opened.
func _is_idle() -> bool:
	return saves.slot.is_empty() and not play.is_open


func _on_link_opened() -> void:
	var waiting := _waiting_for_link
	_waiting_for_link = []
	for entry: Dictionary in waiting:
		(entry["do"] as Callable).call()
	if _is_idle():
		link.reset_pause()
	elif saves.session.is_empty():
		saves.open(play.epoch)
	else:
		play.begin(saves.session, play.epoch)


func _on_welcomed(now_s: float) -> void:
	routines.end()
	clock.set_time_if_unknown(now_s)
	link.reset_pause()
	_last_reason = ""
	_was_playing = true
	scene_check.begin()
	_server.connected.emit()
	var waiting := _waiting
	_waiting = []
	for entry: Dictionary in waiting:
		(entry["do"] as Callable).call()


func _on_refused(error: NpcError) -> void:
	_server.save_refused.emit(saves.slot, error)


func _on_warned(message: String) -> void:
	_server.notice_received.emit("warning", "SAVE_FILES", message)


func _on_reply_updated(reply: NpcReply) -> void:
	_server.answer_updated.emit(reply.npc_id, reply.text)


func _on_answered(reply: NpcReply) -> void:
	_server.answer_finished.emit(reply.npc_id, reply.text, reply.ended)


func _on_not_loaded(_error: NpcError) -> void:
	play.paused = false


func _on_replaced(slot: String, epoch: int, now_s: float) -> void:
	play.paused = false
	play.forget()
	play.epoch = epoch
	minds.forget()
	clock.set_time(now_s)
	scene_check.begin()
	_server.loaded.emit(slot)


func _on_stream_broke(error: NpcError) -> void:
	if error.reason in ["NO_SESSION", "STALE_EPOCH"] and not saves.session.is_empty():
		play.end()
		saves.open(play.epoch)
	else:
		link.lose(error)


func _on_lost(error: NpcError) -> void:
	play.end()
	if error.reason in NpcLink.TEMPORARY:
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
	routines.begin(_was_playing)
	if _was_playing:
		_was_playing = false
		_server.disconnected.emit(error.message)
