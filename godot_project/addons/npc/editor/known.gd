@tool
extends RefCounted
## What the project's persona files and its town file hold. Godot reads no YAML, so npc-server reads them and this keeps its
## answer, also for the next start of the editor.

## Emitted when the files were read again.
signal changed

## Where the last answer is kept.
const FILE := "res://.godot/npc/index.json"
## How similar an id or address must be to be suggested, from 0 to 1.
const SIMILAR := 0.6
## The action that makes an object a bed.
const SLEEP := "sleep"

## The people, each with its [code]id[/code], [code]name[/code] and [code]file[/code], and more where the file has no
## mistake.
var people: Array[Dictionary] = []
## The mistakes and warnings: [code]file[/code], [code]line[/code], [code]what[/code], [code]fix[/code] and
## [code]is_warning[/code].
var problems: Array[Dictionary] = []
## The id, name, file and cell size of the town; empty if it is not known.
var town: Dictionary = {}
## The places and objects of the town by their addresses, in the order of the file.
var nodes: Dictionary[String, Dictionary] = {}


## Takes what the server answered, and keeps it. A town file that has a mistake leaves the town of before.
func take(answer: Dictionary) -> void:
	if answer.get("town") == null and not NpcSettings.get_text(NpcSettings.TOWN).is_empty():
		answer["town"] = _pack_town()
	_read(answer)
	DirAccess.make_dir_recursive_absolute(FILE.get_base_dir())
	var file := FileAccess.open(FILE, FileAccess.WRITE)
	if file != null:
		file.store_string(JSON.stringify(answer, "", false))
	changed.emit()


## Reads what an earlier editor kept. Without a server, the people are those of the files' names.
func load_last() -> void:
	_read(NpcFiles.read_json(FILE))
	_add_files()
	changed.emit()


## Returns the person with an id; empty if there is none.
func find_person(id: String) -> Dictionary:
	for person: Dictionary in people:
		if person["id"] == id:
			return person
	return {}


## Returns the mistakes and warnings of a file.
func find_problems(file: String) -> Array[Dictionary]:
	return problems.filter(func(problem: Dictionary) -> bool: return problem["file"] == file)


## Returns the ids of all people.
func list_ids() -> PackedStringArray:
	return PackedStringArray(people.map(func(person: Dictionary) -> String: return person["id"]))


## Returns the addresses of objects, or of places, rooms and the town.
func list_addresses(of_objects: bool) -> PackedStringArray:
	var found := PackedStringArray()
	for address: String in nodes:
		if (nodes[address]["kind"] == "object") == of_objects:
			found.append(address)
	return found


## Returns an address as files have it: without the id of the town.
func shorten(address: String) -> String:
	return address.strip_edges().trim_prefix(str(town.get("id", "")) + ":")


## Returns an address as nodes have it, if the town has such a place or object; otherwise the address itself.
func lengthen(address: String) -> String:
	var long := "%s:%s" % [town.get("id", ""), address]
	return long if nodes.has(long) else address


## Returns the short addresses of all places and objects: first of places and rooms, then of objects.
func list_short_addresses() -> PackedStringArray:
	return PackedStringArray(Array(list_addresses(false) + list_addresses(true)).map(shorten))


## Returns the short addresses where somebody can live: those of beds, and then of rooms.
func list_homes() -> PackedStringArray:
	var beds := PackedStringArray()
	var rooms := PackedStringArray()
	for address: String in nodes:
		var node := nodes[address]
		if node["kind"] == "room":
			rooms.append(address)
		elif (node.get("actions", {}) as Dictionary).has(SLEEP):
			beds.append(address)
	return PackedStringArray(Array(beds + rooms).map(shorten))


## Returns the most similar of some words; empty if none is similar.
static func find_similar(word: String, among: PackedStringArray) -> String:
	var best := ""
	var most := SIMILAR
	for known: String in among:
		if known.similarity(word) > most:
			best = known
			most = known.similarity(word)
	return best


func _read(answer: Dictionary) -> void:
	people.assign(answer.get("people", []) as Array)
	problems.assign(answer.get("problems", []) as Array)
	for entry: Dictionary in people + problems:
		entry["file"] = ProjectSettings.localize_path(entry["file"] as String)
	nodes.clear()
	town = {}
	if answer.get("town") is Dictionary:
		town = (answer["town"] as Dictionary).duplicate()
		for node: Dictionary in town["nodes"] as Array:
			nodes[node["address"]] = node
		town.erase("nodes")
		town["file"] = ProjectSettings.localize_path(town["file"] as String)


func _pack_town() -> Variant:
	return town.merged({"nodes": nodes.values()}) if not town.is_empty() else null


## Adds the persona files that the last answer did not have, and leaves out those that are gone.
func _add_files() -> void:
	var there := NpcFiles.list_persona_files()
	people = people.filter(func(person: Dictionary) -> bool: return person["file"] in there)
	problems = problems.filter(func(problem: Dictionary) -> bool: return FileAccess.file_exists(problem["file"] as String))
	var listed := people.map(func(person: Dictionary) -> String: return person["file"])
	for file: String in there:
		if not file in listed:
			var id := file.get_file().get_basename()
			people.append({"id": id, "name": id.capitalize(), "file": file})
