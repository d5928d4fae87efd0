class_name NpcRoutineFile
extends RefCounted
## Reads the routines that [code]npc-server persona routines[/code] has written, and tells what somebody does at a time.

## The file in the project. The editor writes it before a game is run or exported.
const PATH := "res://npc/routines.json"
## Begins the ids of actions that a routine has decided. No mind knows them.
const PREFIX := "routine:"
## Seconds of a day.
const _DAY := 86400
## Weekdays count from Monday, and 1970 began with a Thursday.
const _FIRST_WEEKDAY := 3

## Game time at which the game begins.
var start_s: int = 0

var _people: Dictionary[String, Dictionary] = {}


## Returns the routines of the project; without anybody if there is no such file.
static func read(path: String = PATH) -> NpcRoutineFile:
	var file := NpcRoutineFile.new()
	var found := NpcFiles.read_json(path)
	file.start_s = found.get("start_s", 0)
	var people: Dictionary = found.get("people", {})
	for npc_id: String in people:
		file._people[npc_id] = people[npc_id]
	return file


## Returns the ids of all who have a routine.
func get_people() -> PackedStringArray:
	return PackedStringArray(_people.keys())


## Returns what somebody does at a game time; [code]null[/code] if the file does not know the person.
func get_action(npc_id: String, now_s: int) -> NpcAction:
	if not _people.has(npc_id):
		return null
	var midnight := _get_midnight(now_s - int(_people[npc_id]["wake"]))  # the hours before getting up belong to the day before
	var weekday := posmod(roundi(midnight / float(_DAY)) + _FIRST_WEEKDAY, 7)
	var second := now_s - midnight
	for row: Dictionary in _people[npc_id]["rows"] as Array:
		if float(weekday) in (row["days"] as Array) and second >= int(row["from"]) and second < int(row["to"]):
			return _make_action(npc_id, row, second, midnight)
	return null


## Returns a greeting of somebody that fits the place and the hour; empty if there is none. [param turn] chooses among
## several.
func get_greeting(npc_id: String, now_s: int, address: String, turn: int) -> String:
	var fitting: PackedStringArray = []
	var second := posmod(now_s, _DAY)
	var person: Dictionary = _people.get(npc_id, {})
	for line: Dictionary in person.get("greetings", []) as Array:
		var lasts := posmod(int(line["to"]) - int(line["from"]), _DAY)
		var is_now := lasts == 0 or posmod(second - int(line["from"]), _DAY) < lasts
		var where := str(line["where"])
		if is_now and (where.is_empty() or (address + ":").begins_with(where + ":")):
			fitting.append(str(line["say"]))
	return fitting[posmod(turn, fitting.size())] if not fitting.is_empty() else ""


## Returns the action of the step that a row has reached. Its steps are repeated until the row is over.
func _make_action(npc_id: String, row: Dictionary, second: int, midnight: int) -> NpcAction:
	var steps: Array = row["steps"]
	var at := int(row["from"])
	var i := 0
	var length := _get_length(steps[0] as Dictionary)
	while at + length <= second:
		at += length
		i = (i + 1) % steps.size()
		length = _get_length(steps[i] as Dictionary)
	var message: Dictionary = (steps[i] as Dictionary).duplicate()
	message["action_id"] = "%s%s:%d" % [PREFIX, npc_id, midnight + at]
	message["npc_id"] = npc_id
	message["start_s"] = midnight + at
	message["end_s"] = midnight + mini(at + length, int(row["to"]))
	message["source"] = "routine"
	return NpcAction.from_message(message)


static func _get_length(step: Dictionary) -> int:
	return maxi(int(step["minutes"]), 1) * 60


## Returns the last midnight at or before a time, which may be negative.
static func _get_midnight(at_s: int) -> int:
	return at_s - posmod(at_s, _DAY)
