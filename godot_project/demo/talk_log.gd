class_name DemoTalkLog
extends RefCounted
## What the player and a person have said to each other, and what the person did meanwhile.

enum Kind { YOU, THEM, ACTION, NOTE, FAILURE }

## Milliseconds after an answer in which an action still belongs to the conversation.
const ACTION_WITHIN_MS := 4000
## The number of lines to keep.
const MOST := 200
## What stands behind a line of the player that is not said yet, and behind one that was not said.
const WAITS := "(waits)"
const NOT_SAID := "(not said)"

## Each entry has "kind" and "text", and the player's lines "state": what has become of them, such as [constant WAITS].
var lines: Array[Dictionary] = []

var _awaited: Dictionary = {}
## The player's lines that are not said yet, because the person still thinks about another.
var _queue: Array[Dictionary] = []
var _answered_ms: int = -ACTION_WITHIN_MS


## Adds the player's line. Returns [code]true[/code] if it is to be said now: then a line waits for the answer. Otherwise
## it waits until [method take_next] returns it.
func ask(text: String) -> bool:
	var line := add(Kind.YOU, text)
	if is_waiting():
		line["state"] = WAITS
		_queue.append(line)
		return false
	_await_answer_to(line)
	return true


## Returns the player's next line that waits, to be said now; empty if there is none or an answer is awaited.
func take_next() -> String:
	if is_waiting() or _queue.is_empty():
		return ""
	var line: Dictionary = _queue.pop_front()
	line.erase("state")
	_await_answer_to(line)
	return line["text"]


## Sets the answer so far.
func hear(text: String) -> void:
	if is_waiting():
		_awaited["text"] = text + " …"


## Sets the complete answer.
func answer(text: String) -> void:
	if not is_waiting():
		_awaited = add(Kind.THEM, text)
	_awaited["text"] = text
	_awaited = {}
	_answered_ms = Time.get_ticks_msec()


## Ends the wait for an answer with an error. Lines that wait are not said, and are marked so.
func fail(sentence: String) -> void:
	var called := "No answer: " + sentence if is_waiting() else sentence
	var at := _find(_awaited)
	if at >= 0:
		lines.remove_at(at)
	_awaited = {}
	for line: Dictionary in _queue:
		line["state"] = NOT_SAID
	_queue.clear()
	add(Kind.FAILURE, called)


func add(kind: Kind, text: String) -> Dictionary:
	lines.append({"kind": kind, "text": text})
	if lines.size() > MOST:
		lines.pop_front()
	return lines.back()


func _await_answer_to(line: Dictionary) -> void:
	_awaited = {"kind": Kind.THEM, "text": "…"}
	lines.insert(_find(line) + 1, _awaited)


## Returns the position of this entry, and not of one that says the same; -1 if it is gone.
func _find(entry: Dictionary) -> int:
	for i: int in lines.size():
		if is_same(lines[i], entry):
			return i
	return -1


func is_waiting() -> bool:
	return not _awaited.is_empty()


## Returns [code]true[/code] while the person talks with the player, and shortly afterwards.
func is_going_on() -> bool:
	return is_waiting() or Time.get_ticks_msec() - _answered_ms < ACTION_WITHIN_MS


## Returns a text such as "give item (item: egg, count: 2)".
static func get_action_text(action_name: String, arguments: Dictionary) -> String:
	var parts: PackedStringArray = []
	for key: String in arguments:
		var value: Variant = arguments[key]
		# JSON has no integers.
		var words := str(int(value as float)) if value is float and value == floorf(value as float) else str(value)
		parts.append("%s: %s" % [key.replace("_", " "), words])
	var called := action_name.replace("_", " ")
	return called if parts.is_empty() else "%s (%s)" % [called, ", ".join(parts)]
