class_name NpcFiles
## The town's and the people's files, as the server takes them.


## A file as a Document of npc.proto; null for an empty path.
static func document(path: String, called: String = "") -> Variant:
	if path.is_empty():
		return null
	return {
		"name": called if not called.is_empty() else path.get_file(),
		"text": FileAccess.get_file_as_string(path),
		"path": on_disk(path),
	}


## All persona files of a folder.
static func people(folder: String) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for file: String in _names_in(folder):
		found.append(document(folder.path_join(file), "personas/" + file) as Dictionary)
	return found


## Where a file lies outside the game's package; empty for one inside it. The server watches what it can see.
static func on_disk(path: String) -> String:
	if path.begins_with("res://") and OS.has_feature("template"):
		return ""
	var real := ProjectSettings.globalize_path(path)
	return real if (real.is_absolute_path() and not real.begins_with("res://") and FileAccess.file_exists(real)) else ""


## What is wrong with the settings that name the files; null when they can be read.
static func why_not() -> NpcError:
	var town := NpcSettings.text(NpcSettings.TOWN)
	if not town.is_empty() and not FileAccess.file_exists(town):
		return NpcError.make("NOT_FOUND", "NO_TOWN", "There is no town file %s. Put one there, or mend %s." % [town, NpcSettings.TOWN])
	var folder := NpcSettings.text(NpcSettings.PERSONAS)
	if not _names_in(folder).is_empty():
		return null
	if folder.is_empty():
		return NpcError.make(
			"NOT_FOUND", "NO_PERSONAS", "The project setting %s is empty. Set it to the folder of the persona files." % NpcSettings.PERSONAS
		)
	return NpcError.make(
		"NOT_FOUND", "NO_PERSONAS", "There is no persona file in %s. Put one there, or mend %s." % [folder, NpcSettings.PERSONAS]
	)


## What both OpenSave and ApplyFiles send: the town and the people as they are now.
static func as_request() -> Dictionary:
	var request := {"personas": people(NpcSettings.text(NpcSettings.PERSONAS))}
	var town: Variant = document(NpcSettings.text(NpcSettings.TOWN))
	if town != null:
		request["town"] = town
	return request


static func _names_in(folder: String) -> PackedStringArray:
	var found: PackedStringArray = []
	if not folder.is_empty() and DirAccess.dir_exists_absolute(folder):
		for file: String in DirAccess.get_files_at(folder):
			if file.get_extension() in ["yaml", "yml"]:
				found.append(file)
	return found
