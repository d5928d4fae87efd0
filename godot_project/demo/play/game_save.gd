class_name DemoGameSave
## The game's own half of a save: what the minds do not know, such as where the bodies are and what is in the purse. Each slot
## has a file for what was saved, and one from which unsaved play goes on, as it does in the minds.

const FOLDER := "user://play"
const NOW := ".now"
## The minds and the game belong together if their clocks differ by no more game seconds than this.
const SAME_S := 3600.0


## Writes the state of a game. With [param saved] it is what a load goes back to.
static func write(game: DemoGame, slot: String, saved: bool) -> void:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	var file := FileAccess.open(_get_path(slot, saved), FileAccess.WRITE)
	if file == null:
		push_warning("The game state of '%s' was not written: %s." % [slot, error_string(FileAccess.get_open_error())])
		return
	file.store_string(JSON.stringify(_collect(game)))


## Puts a game back into a saved state. Returns [code]false[/code] if there is none, or it belongs to another save of the minds.
static func read(game: DemoGame, slot: String, saved: bool) -> bool:
	if not FileAccess.file_exists(_get_path(slot, saved)):
		return false
	var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(_get_path(slot, saved)))
	if not parsed is Dictionary:
		return false
	var state: Dictionary = parsed
	if absf(float(state["time"]) - NpcServer.game_time_s) > SAME_S:
		return false
	_apply(game, state)
	return true


## Deletes both files of a slot.
static func delete(slot: String) -> void:
	for saved: bool in [true, false] as Array[bool]:
		if FileAccess.file_exists(_get_path(slot, saved)):
			DirAccess.remove_absolute(_get_path(slot, saved))


static func _get_path(slot: String, saved: bool) -> String:
	return "%s/%s%s.json" % [FOLDER, slot.validate_filename(), "" if saved else NOW]


static func _collect(game: DemoGame) -> Dictionary:
	var bodies: Dictionary = {}
	for person: DemoPerson in game.town.people:
		bodies[person.get_agent().persona_id] = _to_pair(person.global_position)
	var objects: Dictionary = {}
	for node: Node in game.get_tree().get_nodes_in_group(NpcObject.GROUP):
		var object := node as NpcObject
		objects[object.address] = object.state
	return {
		"time": NpcServer.game_time_s,
		"player": _to_pair(game.avatar.global_position),
		"bodies": bodies,
		"objects": objects,
		"purse": game.purse.to_save(),
		"journal": game.journal.to_save(),
		"deeds": game.deeds.to_save(),
		"rumour": game.rumour.to_save(),
		"stories": game.stories.to_save(),
	}


static func _apply(game: DemoGame, state: Dictionary) -> void:
	game.avatar.put(_to_point(state["player"] as Array))
	var bodies: Dictionary = state["bodies"]
	for npc_id: String in bodies:
		var person := game.town.get_person(npc_id)
		if person != null:
			person.global_position = _to_point(bodies[npc_id] as Array)
	var objects: Dictionary = state["objects"]
	for address: String in objects:
		var object := NpcObject.by_address(address)
		if object != null and object.state != objects[address]:
			object.state = objects[address]
			NpcServer.report_object(address, object.state)
	game.purse.from_save(state["purse"] as Dictionary)
	game.journal.from_save(state["journal"] as Dictionary)
	game.deeds.from_save(state["deeds"] as Dictionary)
	game.rumour.from_save(state["rumour"] as Dictionary)
	game.stories.from_save(state["stories"] as Dictionary)


static func _to_pair(at: Vector2) -> Array[float]:
	return [at.x, at.y]


static func _to_point(pair: Array) -> Vector2:
	return Vector2(pair[0] as float, pair[1] as float)
