class_name NpcFiles
## Reads the town file and the persona files into requests.

## What the names of mods' files begin with in requests and answers.
const IN_MODS := "mods/"


## Returns a file as a Document of npc.proto; [code]null[/code] for an empty path.
static func make_document(path: String, document_name: String = "") -> Variant:
	if path.is_empty():
		return null
	return {
		"name": document_name if not document_name.is_empty() else path.get_file(),
		"text": FileAccess.get_file_as_string(path),
		"path": get_disk_path(path),
	}


## Returns the object of a JSON file; empty if there is no such file, or if it holds something else.
static func read_json(path: String) -> Dictionary:
	var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(path)) if FileAccess.file_exists(path) else null
	return parsed if parsed is Dictionary else {}


## Returns all persona files of a folder.
static func load_personas(folder: String) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for file: String in _list_files(folder):
		found.append(make_document(folder.path_join(file), "personas/" + file) as Dictionary)
	return found


## Returns the paths of the project's persona files.
static func list_persona_files() -> PackedStringArray:
	var folder := NpcSettings.get_text(NpcSettings.PERSONAS)
	var found := PackedStringArray()
	for file: String in _list_files(folder):
		found.append(folder.path_join(file))
	return found


## Returns the persona files of all mods in a folder, in alphabetical order. The last one wins.
static func load_mods(folder: String) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for file: String in _list_mod_files(folder):
		found.append(make_document(folder.path_join(file), IN_MODS + file) as Dictionary)
	return found


## Returns the path of a file on disk, so that the server can watch it; empty for a file inside the game's package.
static func get_disk_path(path: String) -> String:
	if path.begins_with("res://") and OS.has_feature("template"):
		return ""
	var real := ProjectSettings.globalize_path(path)
	return real if (real.is_absolute_path() and not real.begins_with("res://") and FileAccess.file_exists(real)) else ""


## Checks the project settings that name the files. Returns [code]null[/code] if the files are there.
static func find_problem() -> NpcError:
	var town := NpcSettings.get_text(NpcSettings.TOWN)
	if not town.is_empty() and not FileAccess.file_exists(town):
		return NpcError.make(
			"NOT_FOUND", "NO_TOWN", "There is no town file %s. %s, or correct %s." % [town, _how_to_add("it"), NpcSettings.TOWN]
		)
	var folder := NpcSettings.get_text(NpcSettings.PERSONAS)
	if not _list_files(folder).is_empty():
		return null
	if folder.is_empty():
		return NpcError.make(
			"NOT_FOUND", "NO_PERSONAS", "The project setting %s is empty. Set it to the folder of the persona files." % NpcSettings.PERSONAS
		)
	return NpcError.make(
		"NOT_FOUND",
		"NO_PERSONAS",
		"There is no persona file in %s. %s, or correct %s." % [folder, _how_to_add("one"), NpcSettings.PERSONAS]
	)


## In an exported game the files exist only where the export preset takes them along.
static func _how_to_add(what: String) -> String:
	var exported := "Add *.yaml to the non-resource files of the export preset (include_filter)"
	return exported if OS.has_feature("template") else "Add " + what


## Returns the fields that OpenSave and ApplyFiles share: the current town and persona files, and those of mods.
static func make_request() -> Dictionary:
	var request := {
		"personas": load_personas(NpcSettings.get_text(NpcSettings.PERSONAS)),
		"mods": load_mods(NpcSettings.get_text(NpcSettings.MODS)),
	}
	var town: Variant = make_document(NpcSettings.get_text(NpcSettings.TOWN))
	if town != null:
		request["town"] = town
	return request


## Returns the paths of all files in the project that its settings name: town, personas, mods, policies and a certificate.
static func list_named() -> PackedStringArray:
	var found: PackedStringArray = []
	for setting: String in [NpcSettings.TOWN, NpcSettings.POLICIES, NpcSettings.CERTIFICATE]:
		found.append(NpcSettings.get_text(setting))
	found.append_array(list_persona_files())
	var mods := NpcSettings.get_text(NpcSettings.MODS)
	for file: String in _list_mod_files(mods):
		found.append(mods.path_join(file))
	var there := PackedStringArray()
	for path: String in found:
		if path.begins_with("res://") and FileAccess.file_exists(path):
			there.append(path)
	return there


static func _list_files(folder: String) -> PackedStringArray:
	var found: PackedStringArray = []
	if not folder.is_empty() and DirAccess.dir_exists_absolute(folder):
		for file: String in DirAccess.get_files_at(folder):
			if file.get_extension() in ["yaml", "yml"]:
				found.append(file)
	return found


## Returns the paths in the folder of mods, such as [code]rain/personas/mara.yaml[/code].
static func _list_mod_files(folder: String) -> Array[String]:
	var found: Array[String] = []
	if folder.is_empty() or not DirAccess.dir_exists_absolute(folder):
		return found
	for mod: String in _sort(DirAccess.get_directories_at(folder)):
		for file: String in _sort(_list_files(folder.path_join(mod).path_join("personas"))):
			found.append(mod.path_join("personas").path_join(file))
	return found


## Returns the names in the alphabetical order that [code]npc-server[/code] uses, too.
static func _sort(names: PackedStringArray) -> Array[String]:
	var sorted: Array[String] = []
	sorted.assign(Array(names))
	sorted.sort_custom(func(a: String, b: String) -> bool: return [a.to_lower(), a] < [b.to_lower(), b])
	return sorted
