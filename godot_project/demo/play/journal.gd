class_name DemoJournal
extends RefCounted
## What the player wants to do, and what the player was told: each with who said it and when.

## Emitted after every change.
signal changed
## Emitted when something new is written, for a short message.
signal written(text: String)

const MOST := 60

## What there is to do. Each entry has "id", "text" and "done".
var goals: Array[Dictionary] = []
## What was told, seen and done, the newest first. Each entry has "at" (game time), "text" and "from" (a name; empty for the player).
var entries: Array[Dictionary] = []


## Adds a goal, unless it is there.
func add_goal(id: String, text: String) -> void:
	if _find(id).is_empty():
		goals.append({"id": id, "text": text, "done": false})
		written.emit("New in your journal: " + text)
		changed.emit()


## Marks a goal as reached.
func reach(id: String) -> void:
	var goal := _find(id)
	if not goal.is_empty() and not goal["done"]:
		goal["done"] = true
		written.emit("Done: " + str(goal["text"]))
		changed.emit()


func has_goal(id: String) -> bool:
	return not _find(id).is_empty()


func has_reached(id: String) -> bool:
	return _find(id).get("done", false)


## Writes something down, once. [param from] is the name of whoever said it.
func write(text: String, from: String = "") -> void:
	for entry: Dictionary in entries:
		if entry["text"] == text and entry["from"] == from:
			return
	entries.push_front({"at": int(NpcServer.game_time_s), "text": text, "from": from})
	entries.resize(mini(entries.size(), MOST))
	changed.emit()


## Returns the goals that are still open.
func get_open() -> Array[Dictionary]:
	return goals.filter(func(goal: Dictionary) -> bool: return not goal["done"])


func to_save() -> Dictionary:
	return {"goals": goals, "entries": entries}


func from_save(saved: Dictionary) -> void:
	goals.assign(saved.get("goals", []) as Array)
	entries.assign(saved.get("entries", []) as Array)
	changed.emit()


func _find(id: String) -> Dictionary:
	for goal: Dictionary in goals:
		if goal["id"] == id:
			return goal
	return {}
