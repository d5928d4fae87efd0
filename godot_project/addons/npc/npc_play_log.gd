class_name NpcPlayLog
extends RefCounted
## What the game told the minds and does not know to be stored yet, numbered without gaps.
##
## An event leaves only when the server acknowledged it as stored; after a lost connection all others are sent again.

## Number of the newest event in this epoch.
var last_seq: int = 0
## The newest event that is stored.
var last_stored_seq: int = 0

var _events: Array[Dictionary] = []
var _sent: int = 0


## Numbers an event, e.g. {"perception": {…}}, and returns its number.
func add(event: Dictionary) -> int:
	last_seq += 1
	event["seq"] = last_seq
	_events.append(event)
	return last_seq


## Takes the place of the last event when that is of this kind and not sent yet; only the newest clock counts.
func add_or_replace(kind: String, value: Dictionary) -> int:
	if _sent < _events.size() and _events.back().has(kind):
		_events.back()[kind] = value
		return last_seq
	return add({kind: value})


## The next events to send, and remembers that they are under way.
func take(most: int) -> Array[Dictionary]:
	var batch := _events.slice(_sent, _sent + most)
	_sent += batch.size()
	return batch


## Whether there are events that were not sent yet.
func has_unsent() -> bool:
	return _sent < _events.size()


## Events that are not known to be stored.
func waiting() -> int:
	return _events.size()


## Forgets what is stored.
func acknowledge(seq: int) -> void:
	last_stored_seq = maxi(last_stored_seq, seq)
	var done := 0
	while done < _events.size() and int(_events[done]["seq"]) <= seq:
		done += 1
	_events = _events.slice(done)
	_sent = maxi(0, _sent - done)


## The connection was lost: all that is not stored is to be sent again.
func rewind() -> void:
	_sent = 0


## A new epoch in which what waits has still to be told: numbers start at 1 again.
func renumber() -> void:
	_sent = 0
	last_stored_seq = 0
	last_seq = 0
	for event: Dictionary in _events:
		last_seq += 1
		event["seq"] = last_seq


## A new epoch whose past is another one: what waits is forgotten.
func clear() -> void:
	_events.clear()
	renumber()
