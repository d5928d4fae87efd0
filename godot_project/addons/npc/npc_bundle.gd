class_name NpcBundle
## A folder with Python and npc-server, which [code]npc-server bundle[/code] makes for one system.

## The file by which a folder is known to be a bundle.
const MARK := "bundle.json"
## The features of an export, and the name that [code]npc-server bundle --platform[/code] has for such a system.
const SYSTEMS: Dictionary[String, String] = {
	"linux": "linux x86_64",
	"linux-arm64": "linux arm64",
	"windows": "windows x86_64",
	"macos-arm64": "macos arm64",
	"macos": "macos x86_64",
}
## What starts a bundle on Windows: the program itself, so that ending it ends the server.
const ON_WINDOWS: PackedStringArray = ["python/python.exe", "-I", "python/bin/npc-server"]


## Returns the words that start the server of a bundle on this machine; empty if there is none in the folder.
static func get_words(folder: String) -> PackedStringArray:
	if not OS.has_feature("windows"):
		var program := folder.path_join("npc-server")
		return [program] if FileAccess.file_exists(program) else PackedStringArray()
	var python := folder.path_join(ON_WINDOWS[0])
	return [python, ON_WINDOWS[1], folder.path_join(ON_WINDOWS[2])] if FileAccess.file_exists(python) else PackedStringArray()


## Returns what a bundle says of itself; empty if the folder holds none.
static func read_mark(folder: String) -> Dictionary:
	return NpcFiles.read_json(folder.path_join(MARK))


## Returns the name of the system that an export with these features is for; empty if no server runs there.
static func find_system(features: PackedStringArray) -> String:
	for system: String in SYSTEMS:
		var words := SYSTEMS[system].split(" ")
		if features.has(words[0]) and features.has(words[1]):
			return system
	return ""


## Copies a folder with all that is in it. Programs stay programs. Returns the first file that could not be written; empty
## if all were.
static func copy(from: String, to: String) -> String:
	if DirAccess.make_dir_recursive_absolute(to) != OK:
		return to
	var folder := DirAccess.open(from)
	if folder == null:
		return from
	folder.include_hidden = true
	for file: String in folder.get_files():
		var target := to.path_join(file)
		if folder.copy(from.path_join(file), target) != OK:
			return target
		FileAccess.set_unix_permissions(target, FileAccess.get_unix_permissions(from.path_join(file)))
	for inside: String in folder.get_directories():
		var failed := copy(from.path_join(inside), to.path_join(inside))
		if not failed.is_empty():
			return failed
	return ""


## Removes a folder with all that is in it. Links are not followed.
static func remove(folder: String) -> void:
	var open := DirAccess.open(folder)
	if open == null:
		return
	open.include_hidden = true
	for inside: String in open.get_directories():
		if open.is_link(inside):
			open.remove(inside)
		else:
			remove(folder.path_join(inside))
	for file: String in open.get_files():
		open.remove(file)
	DirAccess.remove_absolute(folder)
