class_name NpcPlayLog
extends RefCounted
## The game's events that are not known to be stored, numbered without gaps.
##
## An event leaves the log when the server acknowledges it. After a lost connection the others are sent again.

## The number of the newest event in this epoch.
var last_seq: int = 0
## The number of the newest stored event.
var last_stored_seq: int = 0
## The number of the newest restraint.
var last_restraint_seq: int = 0

## If [code]true[/code], no mind is there to tell anything, and nothing is kept.
var is_closed: bool = false

var _events: Array[Dictionary] = []
var _sent: int = 0


## Numbers an event such as [code]{"perception": {…}}[/code], adds it, and returns its number.
func add(event: Dictionary) -> int:
	var outcome: Dictionary = event.get("outcome", {})
	if is_closed or str(outcome.get("action_id", "")).begins_with(NpcRoutineFile.PREFIX):
		return last_seq
	last_seq += 1
	event["seq"] = last_seq
	_events.append(event)
	if event.has("restraint"):
		last_restraint_seq = last_seq
	return last_seq


## Replaces the last event if it is of the same kind and not sent yet, else adds one. Used for the clock, of which only
## the newest counts.
func add_or_replace(kind: String, value: Dictionary) -> int:
	if _sent < _events.size() and _events.back().has(kind):
		_events.back()[kind] = value
		return last_seq
	return add({kind: value})


## Returns the next events to send, and marks them as sent.
func take(most: int) -> Array[Dictionary]:
	var batch := _events.slice(_sent, _sent + most)
	_sent += batch.size()
	return batch


## Returns [code]true[/code] if there are events to send.
func has_unsent() -> bool:
	return _sent < _events.size()


## Returns how many events are not known to be stored.
func count_unstored() -> int:
	return _events.size()


## Removes the stored events.
func acknowledge(seq: int) -> void:
	last_stored_seq = maxi(last_stored_seq, seq)
	var done := 0
	while done < _events.size() and int(_events[done]["seq"]) <= seq:
		done += 1
	_events = _events.slice(done)
	_sent = maxi(0, _sent - done)


## Marks all events as not sent. Called when the connection is lost.
func rewind() -> void:
	_sent = 0


## Numbers the events from 1 again, to be sent in a new epoch.
func renumber() -> void:
	_sent = 0
	last_stored_seq = 0
	last_seq = 0
	for event: Dictionary in _events:
		last_seq += 1
		event["seq"] = last_seq
	last_restraint_seq = last_seq


## Drops all events. Called when another save is played.
func clear() -> void:
	_events.clear()
	renumber()
