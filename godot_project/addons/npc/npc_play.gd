class_name NpcPlay
extends RefCounted
## The Play stream: what the game tells goes up in order and is kept until it is stored; what the minds decide comes down.

## The server has welcomed the game: from now on events go up.
signal welcomed(now_s: float)
## Something came down, by its name in MindEvent: "action", "speech", "notice" …
signal happened(kind: String, value: Dictionary)
## Everything up to this number is on the server's disk.
signal stored(seq: int)
## The stream ended. Reasons NO_SESSION and STALE_EPOCH ask for the save to be opened again.
signal broke(error: NpcError)

const EVENTS_IN_MESSAGE := 256

## What the game told and does not know to be stored.
var log := NpcPlayLog.new()
## Rises with each load; what belongs to an older one is dropped.
var epoch: int = 0
## True while a save is being loaded: nothing goes up, and nothing that comes down counts.
var paused: bool = false
## True from the welcome to the end of the stream.
var is_open: bool = false

var _link: NpcLink
var _session: String = ""
var _stream: int = -1
var _heard_ms: int = 0
var _when_stored: Array[Dictionary] = []


func _init(link: NpcLink) -> void:
	_link = link


## Opens the stream of a session. Events that are not stored are sent again, with new numbers in a new epoch.
func begin(session: String, at_epoch: int) -> void:
	if at_epoch != epoch:
		log.renumber()
	epoch = at_epoch
	_session = session
	_stream = _link.open_stream("WorldService/Play", {"session_id": session, "epoch": epoch}, _on_event)


## Closes the stream; what is not stored stays in the log.
func end() -> void:
	_link.cancel(_stream)
	_stream = -1
	is_open = false
	paused = false
	log.rewind()


## Another time begins: what was told before does not belong to it.
func forget() -> void:
	log.clear()
	_when_stored.clear()


## Calls something once all that was told until now is stored.
func once_stored(what: Callable) -> void:
	_when_stored.append({"seq": log.last_seq, "do": what})


## Sends what was told since the last time.
func flush() -> void:
	if not is_open or paused:
		return
	while log.has_unsent():
		_link.send(_stream, {"session_id": _session, "epoch": epoch, "events": log.take(EVENTS_IN_MESSAGE)})
	while not _when_stored.is_empty() and int(_when_stored[0]["seq"]) <= log.last_stored_seq:
		var waiting: Dictionary = _when_stored.pop_front()
		(waiting["do"] as Callable).call()


## True when events wait and nothing was heard for so many seconds.
func is_silent(timeout_s: float) -> bool:
	var now := Time.get_ticks_msec()
	if not is_open or log.waiting() == 0:
		_heard_ms = now
	return now - _heard_ms > timeout_s * 1000.0


func _on_event(event: Dictionary) -> void:
	match event.get("event"):
		"message":
			_heard_ms = Time.get_ticks_msec()
			var message: Dictionary = event.get("message", {})
			if paused or int(str(message.get("epoch", 0))) < epoch:
				return
			for item: Variant in message.get("events", []) as Array:
				_take(item as Dictionary)
		"failed":
			is_open = false
			broke.emit(NpcError.from_event(event))
		"finished":
			is_open = false
			broke.emit(NpcError.make("UNAVAILABLE", "STREAM_ENDED", "The server ended the stream; connecting again."))


func _take(event: Dictionary) -> void:
	for kind: String in event:
		var value: Dictionary = event[kind]
		match kind:
			"welcome":
				epoch = value.get("epoch", epoch)
				log.acknowledge(int(str(value.get("last_stored_seq", 0))))
				log.rewind()
				_heard_ms = Time.get_ticks_msec()
				is_open = true
				welcomed.emit(float(str(value.get("now_s", 0))))
			"ack":
				log.acknowledge(int(str(value.get("seq", 0))))
				stored.emit(log.last_stored_seq)
			_:
				happened.emit(kind, value)
