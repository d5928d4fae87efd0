class_name DemoTalkLog
extends RefCounted
## What the player and one of the people said to each other, and what that person did meanwhile.

enum Kind { YOU, THEM, DEED, NOTE, FAILURE }

## Wall milliseconds after an answer in which what the person does still belongs to the talk.
const DEED_WITHIN_MS := 4000
## Older lines go.
const MOST := 200

## Each: kind, text.
var lines: Array[Dictionary] = []

var _awaited: Dictionary = {}
var _answered_ms: int = -DEED_WITHIN_MS


## What the player says; the line for the answer waits below.
func ask(text: String) -> void:
	add(Kind.YOU, text)
	_awaited = add(Kind.THEM, "…")


## The answer so far.
func hear(text: String) -> void:
	if is_waiting():
		_awaited["text"] = text + " …"


## The whole answer.
func answer(text: String) -> void:
	if not is_waiting():
		_awaited = add(Kind.THEM, text)
	_awaited["text"] = text
	_awaited = {}
	_answered_ms = Time.get_ticks_msec()


## No answer comes, and why.
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


## Whether the person is talking with the player, or just was.
func is_going_on() -> bool:
	return is_waiting() or Time.get_ticks_msec() - _answered_ms < DEED_WITHIN_MS


## "give item (item: egg, count: 2)".
static func deed_text(action_name: String, arguments: Dictionary) -> String:
	var parts: PackedStringArray = []
	for key: String in arguments:
		var value: Variant = arguments[key]
		# JSON knows no whole numbers.
		var words := str(int(value as float)) if value is float and value == floorf(value as float) else str(value)
		parts.append("%s: %s" % [key.replace("_", " "), words])
	var called := action_name.replace("_", " ")
	return called if parts.is_empty() else "%s (%s)" % [called, ", ".join(parts)]
