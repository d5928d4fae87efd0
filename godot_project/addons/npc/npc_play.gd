class_name NpcPlay
extends RefCounted
## The Play stream. Events of the game are sent in order and kept until they are stored; events of the minds arrive.

## Emitted when the server has welcomed the game. Events are sent from now on.
signal welcomed(now_s: float)
## Emitted for each event that arrives. [param kind] is its field name in MindEvent, such as "action" or "speech".
signal happened(kind: String, value: Dictionary)
## Emitted when all events up to [param seq] are on the server's disk.
signal stored(seq: int)
## Emitted when the stream has ended. After the reasons NO_SESSION and STALE_EPOCH the save must be opened again.
signal broke(error: NpcError)

## The most events in one message.
const EVENTS_IN_MESSAGE := 256

## The events that are not known to be stored.
var log := NpcPlayLog.new()
## Rises with each load. Messages of an older epoch are dropped.
var epoch: int = 0
## If [code]true[/code], a save is being loaded: nothing is sent, and everything that arrives is dropped.
var paused: bool = false
## If [code]true[/code], the stream is open and welcomed.
var is_open: bool = false

var _link: NpcLink
var _session: String = ""
var _stream: int = -1
var _heard_ms: int = 0
var _when_stored: Array[Dictionary] = []


func _init(link: NpcLink) -> void:
	_link = link


## Opens the stream of a session. Events that are not stored are sent again, with new numbers if the epoch is new.
func begin(session: String, at_epoch: int) -> void:
	if at_epoch != epoch:
		log.renumber()
	epoch = at_epoch
	_session = session
	_stream = _link.open_stream("WorldService/Play", {"session_id": session, "epoch": epoch}, _on_event)


## Closes the stream. Events that are not stored stay in the log.
func end() -> void:
	_link.cancel(_stream)
	_stream = -1
	is_open = false
	paused = false
	log.rewind()


## Drops all events. Called when another save is played, to which they do not belong.
func forget() -> void:
	log.clear()
	_when_stored.clear()


## Calls [param what] when all events up to now are stored.
func once_stored(what: Callable) -> void:
	_when_stored.append({"seq": log.last_seq, "do": what})


## Calls [param what] when the last restraint is stored: at once, unless one is on its way. A line to a character must not
## overtake the order to be silent.
func once_restrained(what: Callable) -> void:
	if log.last_restraint_seq <= log.last_stored_seq:
		what.call()
	else:
		_when_stored.append({"seq": log.last_restraint_seq, "do": what})


## Sends the events since the last call.
func flush() -> void:
	if not is_open or paused:
		return
	while log.has_unsent():
		_link.send(_stream, {"session_id": _session, "epoch": epoch, "events": log.take(EVENTS_IN_MESSAGE)})
	while not _when_stored.is_empty() and int(_when_stored[0]["seq"]) <= log.last_stored_seq:
		var waiting: Dictionary = _when_stored.pop_front()
		(waiting["do"] as Callable).call()


## Returns [code]true[/code] if events wait and nothing has arrived for [param timeout_s] seconds.
func is_silent(timeout_s: float) -> bool:
	var now := Time.get_ticks_msec()
	if not is_open or log.count_unstored() == 0:
		_heard_ms = now
	return now - _heard_ms > timeout_s * 1000.0


func _on_event(event: Dictionary) -> void:
	match event.get("event"):
		"message":
			_heard_ms = Time.get_ticks_msec()
			var message: Dictionary = event.get("message", {})
			if paused or message.get("epoch", 0) < epoch:
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
				log.acknowledge(value.get("last_stored_seq", 0) as int)
				log.rewind()
				_heard_ms = Time.get_ticks_msec()
				is_open = true
				welcomed.emit(value.get("now_s", 0) as float)
			"ack":
				log.acknowledge(value.get("seq", 0) as int)
				stored.emit(log.last_stored_seq)
			_:
				happened.emit(kind, value)
