class_name NpcLines
extends RefCounted
## Decides when the lines of characters are shown. Those of a talk between characters come one after another, each once
## the one before could be read.
##
## Such a talk may arrive as a whole, because its lines take game time, and the game clock runs fast. When the speakers
## have gone apart, the rest is not shown: nobody shouts across the town. Lines to a player are shown as they arrive.

## Emitted when a line is to be shown.
signal shown(npc_id: String, text: String, to: PackedStringArray, partial: bool)

## Seconds of real time for which a line is shown at least.
const LEAST_S := 1.0
## Seconds without another word after which a line that is not whole was broken off.
const BROKEN_OFF_S := 10.0

## How many characters a player reads in a second. If 0, each line is shown as it arrives.
var reading_speed: float = 20.0:
	set(value):
		if not value >= 0.0:
			push_warning("NpcServer.reading_speed is %s. It is set to 0, so lines do not wait; use 0 or more." % value)
		reading_speed = value if value >= 0.0 else 0.0

var _talks: Dictionary[PackedStringArray, Talk] = {}


## What is shown of a talk, and what waits.
class Talk:
	var waiting: Array[Line] = []
	var speaker: String = ""
	var is_whole: bool = true
	## Seconds since the line that is shown began, and since its last words came.
	var elapsed_s: float = INF
	var quiet_s: float = 0.0
	## How many characters that line has so far.
	var length: int = 0


class Line:
	var speaker: String
	var text: String
	var to: PackedStringArray
	var partial: bool


## Takes a line that has arrived. [param npc_ids] are the characters of the save.
func take(npc_id: String, text: String, to: PackedStringArray, partial: bool, npc_ids: PackedStringArray) -> void:
	var line := Line.new()
	line.speaker = npc_id
	line.text = text
	line.to = to
	line.partial = partial
	var people := to.duplicate()
	people.append(npc_id)
	people.sort()
	var is_among_characters := not to.is_empty() and Array(to).all(func(person: String) -> bool: return person in npc_ids)
	_drop_others(npc_id, people)
	if not is_among_characters:
		_emit(line)
		return
	if not _talks.has(people):
		_talks[people] = Talk.new()
	var talk := _talks[people]
	if not talk.waiting.is_empty() and talk.waiting[-1].partial and talk.waiting[-1].speaker == npc_id:
		talk.waiting.pop_back()  # the new one begins with its words
	talk.waiting.append(line)
	_show_due(talk)


## Advances by some seconds of real time, and shows what is due.
func step(delta: float) -> void:
	for people: PackedStringArray in _talks.keys():
		var talk: Talk = _talks.get(people)
		if talk == null:
			continue  # whoever was shown a line has ended this talk
		talk.elapsed_s += delta
		talk.quiet_s += delta
		talk.is_whole = talk.is_whole or talk.quiet_s >= BROKEN_OFF_S
		if not talk.waiting.is_empty() and NpcAgents.are_apart(talk.waiting[0].speaker, talk.waiting[0].to):
			talk.waiting.clear()
			talk.is_whole = true
		_show_due(talk)
		if talk.waiting.is_empty() and talk.is_whole and talk.elapsed_s >= _get_needed_s(talk):
			_talks.erase(people)


## Returns [code]true[/code] while lines of a talk of somebody are still to be shown, or the last could not be read yet.
func is_talking(npc_id: String) -> bool:
	for people: PackedStringArray in _talks:
		if npc_id in people:
			return true
	return false


## Drops all lines that wait.
func forget() -> void:
	for people: PackedStringArray in _talks.keys():
		_drop(people)


## Drops what is left of other talks of somebody, because the person speaks elsewhere now.
func _drop_others(npc_id: String, people: PackedStringArray) -> void:
	for others: PackedStringArray in _talks.keys():
		if npc_id in others and others != people:
			_drop(others)


func _drop(people: PackedStringArray) -> void:
	_talks[people].waiting.clear()  # its lines may be being shown right now
	_talks.erase(people)


func _show_due(talk: Talk) -> void:
	while not talk.waiting.is_empty():
		var next := talk.waiting[0]
		var goes_on := not talk.is_whole and next.speaker == talk.speaker
		if not goes_on and talk.elapsed_s < _get_needed_s(talk):
			return
		if not goes_on:
			talk.elapsed_s = 0.0
			talk.speaker = next.speaker
		talk.waiting.pop_front()
		talk.is_whole = not next.partial
		talk.quiet_s = 0.0
		talk.length = next.text.length()
		_emit(next)


## Returns how long it takes to read the line that is shown, at the speed of now.
func _get_needed_s(talk: Talk) -> float:
	return LEAST_S + talk.length / reading_speed if reading_speed > 0.0 else 0.0


func _emit(line: Line) -> void:
	shown.emit(line.speaker, line.text, line.to, line.partial)
