class_name DemoTalkLog
extends RefCounted
## What the player and a person have said to each other, and what the person did meanwhile.

enum Kind { YOU, THEM, ACTION, NOTE, FAILURE }

## Milliseconds after an answer in which an action still belongs to the conversation.
const ACTION_WITHIN_MS := 4000
## The number of lines to keep.
const MOST := 200

## Each entry has "kind" and "text".
var lines: Array[Dictionary] = []

var _awaited: Dictionary = {}
var _answered_ms: int = -ACTION_WITHIN_MS


## Adds the player's line, and a line that waits for the answer.
func ask(text: String) -> void:
	add(Kind.YOU, text)
	_awaited = add(Kind.THEM, "…")


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


## Ends the wait for an answer with an error.
func fail(sentence: String) -> void:
	var called := "No answer: " + sentence if is_waiting() else sentence
	lines.erase(_awaited)
	_awaited = {}
	add(Kind.FAILURE, called)


func add(kind: Kind, text: String) -> Dictionary:
	lines.append({"kind": kind, "text": text})
	if lines.size() > MOST:
		lines.pop_front()
	return lines.back()


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
