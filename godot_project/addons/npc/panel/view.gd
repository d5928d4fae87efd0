@tool
extends RefCounted
## What all pages of a panel share: where they ask, the people, and who is looked at.
##
## While the panel is visible, it asks once a second what everybody does. The answer tells which pages have anything new
## to ask for, so nothing else is asked while nothing happens.

## Emitted when the list of people has come.
signal people_updated
## Emitted when somebody else is looked at.
signal person_chosen

const Look := preload("res://addons/npc/panel/look.gd")
const Source := preload("res://addons/npc/panel/source.gd")
## Seconds between two questions about everybody.
const EVERY_S := 1.0
## Seconds after which an answer is given up, such as when a debugged game stands at a breakpoint.
const PATIENCE_S := 20.0

## Where the pages ask.
var source: Source
## A MindGlance message for each character, in the order of the save.
var people: Array[Dictionary] = []
## The names of the characters by their ids.
var names: Dictionary[String, String] = {}
## The id of the character that is looked at; empty for none.
var chosen: String = ""
## Game time of the last answer.
var now_s: int = 0
## Why nothing is shown; empty if all is well.
var problem: String = ""
## Calls so far, and milliseconds that the last answer took. For the line at the bottom, and for tests.
var asked: int = 0
## Milliseconds of the last answer.
var latency_ms: int = 0

var _wait_s: float = 0.0
var _pending: NpcRequest = null
var _asked_ms: int = 0


func _init(from: Source) -> void:
	source = from


## Asks for what everybody does when it is time to. Call it once a frame while the panel is visible.
func step(delta: float) -> void:
	_wait_s -= delta
	var is_late := _pending != null and Time.get_ticks_msec() - _asked_ms > int(PATIENCE_S * 1000.0)
	if _wait_s > 0.0 or (_pending != null and not is_late):
		return
	_wait_s = EVERY_S
	if not source.get_problem().is_empty():
		_tell(source.get_problem())
		return
	_asked_ms = Time.get_ticks_msec()
	_pending = ask("ListMinds", {})
	_take(_pending)


## Asks at once, whatever time it is.
func hurry() -> void:
	_wait_s = 0.0


## Calls a method of MindService.
func ask(method: String, fields: Dictionary) -> NpcRequest:
	asked += 1
	return source.ask(method, fields)


## Looks at a character.
func choose(npc_id: String) -> void:
	if npc_id != chosen:
		chosen = npc_id
		person_chosen.emit()


## Returns the MindGlance of the character that is looked at; empty if there is none.
func get_chosen() -> Dictionary:
	for person: Dictionary in people:
		if person["npc_id"] == chosen:
			return person
	return {}


## Returns the name of a character, or what is given for anybody else.
func get_name(who: String) -> String:
	return names.get(who, who)


func _take(request: NpcRequest) -> void:
	var is_well := await request.done()
	if request != _pending:
		return
	_pending = null
	if not is_well:
		_tell(request.error.message)
		return
	latency_ms = Time.get_ticks_msec() - _asked_ms
	problem = ""
	now_s = request.response.get("now_s", 0)
	people.assign(request.response.get("minds", []) as Array)
	for person: Dictionary in people:
		names[str(person["npc_id"])] = str(person["name"])
	if get_chosen().is_empty():
		choose(str(people[0]["npc_id"]) if not people.is_empty() else "")
	people_updated.emit()


func _tell(words: String) -> void:
	problem = words
	people_updated.emit()
