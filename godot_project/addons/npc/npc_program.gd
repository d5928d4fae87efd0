class_name NpcProgram
extends RefCounted
## Finds the npc-server to start, and remembers where it looked.

## The environment variable with the program to start.
const VARIABLE := "NPC_SERVER_COMMAND"
## The folder beside an exported game that [code]npc-server bundle[/code] makes, and the program in it.
const BUNDLE := "npc-server"
## The program on the PATH.
const NAME := "npc-server"
## The file that names the server which [NpcGetter] got.
const CHOSEN := "user://npc_server.json"
## How messages name the place of a server that the editor got.
const GOT := "what Project > Tools > Get npc-server got"
## The file beside the native library. It names the Python that the library was built with, and that Python's npc-server.
const BESIDE := "npc_bridge.path"

## The words of the command: the program, and arguments that come before [code]serve[/code]. Empty if there is none.
var words: PackedStringArray = []
## What was looked for, in order.
var looked: PackedStringArray = []


## Looks in the project setting [code]npc/server/command[/code], the environment variable NPC_SERVER_COMMAND, beside an
## exported game or, in one that is not exported, where [NpcGetter] put it, beside the native library, and on the PATH. A variable that
## names nothing ends the search: whoever set it wants that program and no other.
static func find() -> NpcProgram:
	var program := NpcProgram.new()
	var setting := NpcSettings.get_text(NpcSettings.COMMAND).strip_edges()
	var given := OS.get_environment(VARIABLE).strip_edges()
	if program._look(setting, "the project setting %s" % NpcSettings.COMMAND):
		return program
	if program._look(given, "the environment variable %s" % VARIABLE) or not given.is_empty():
		return program
	if OS.has_feature("template"):
		if program._take(NpcBundle.get_words(get_bundle()), "the folder beside the game (%s)" % get_bundle()):
			return program
	elif program._take(get_chosen(), GOT):
		return program
	if program._look(_read_beside(), "beside the native library"):
		return program
	program._look(NAME, "the PATH")
	return program


## Returns the folder with Python and npc-server that belongs to an exported game: beside it, or in it on macOS.
static func get_bundle() -> String:
	var beside := OS.get_executable_path().get_base_dir()
	return (beside.get_base_dir().path_join("Resources") if OS.has_feature("macos") else beside).path_join(BUNDLE)


## Returns the words that start the server which the editor got; empty if it got none.
static func get_chosen() -> PackedStringArray:
	var found: Variant = NpcFiles.read_json(CHOSEN).get("words")
	return PackedStringArray(found as Array) if found is Array else PackedStringArray()


## Returns [code]true[/code] if there is a program to start.
func is_found() -> bool:
	return not words.is_empty()


## Returns an error that says where the program was looked for.
func get_error() -> NpcError:
	var message := "There is no npc-server. Get it in the editor, with Project > Tools > Get npc-server, or name it in one of these places, "
	message += "which were looked at: %s." % "; ".join(looked)
	if OS.has_feature("template") and not DirAccess.dir_exists_absolute(get_bundle()):
		var told := "There is no folder %s. The export puts it beside the game, with Python and npc-server. Copy it there. %s"
		message = told % [get_bundle(), message]
	return NpcError.make("UNAVAILABLE", "NO_SERVER", message)


func _look(command: String, place: String) -> bool:
	if command.is_empty():
		looked.append("%s (empty)" % place)
		return false
	looked.append("%s (%s)" % [place, command])
	var path := ProjectSettings.globalize_path(command)
	# The path of a file may contain spaces; otherwise a space separates arguments.
	var found := PackedStringArray([path]) if FileAccess.file_exists(path) else command.split(" ", false)
	if not _is_there(found[0]):
		return false
	words = found
	return true


## Takes the words of a command that is known to be whole, if its program is still there.
func _take(command: PackedStringArray, place: String) -> bool:
	looked.append(place if not command.is_empty() else "%s (nothing)" % place)
	if command.is_empty() or not FileAccess.file_exists(command[0]):
		return false
	words = command
	return true


## Returns [code]true[/code] if the program exists, as a path or on the PATH. Godot does not tell a missing program from
## a killed one.
static func _is_there(program: String) -> bool:
	if program.contains("/") or program.contains("\\"):
		return FileAccess.file_exists(program)
	var separator := ";" if OS.has_feature("windows") else ":"
	for folder: String in OS.get_environment("PATH").split(separator, false):
		if FileAccess.file_exists(folder.path_join(_as_file(program))):
			return true
	return false


static func _as_file(program: String) -> String:
	return program + ".exe" if OS.has_feature("windows") and program.get_extension().is_empty() else program


## Returns the npc-server beside the Python that the native library was built with; empty if there is none.
static func _read_beside() -> String:
	var folder := ProjectSettings.globalize_path("res://addons/npc/bin")
	if OS.has_feature("template"):
		folder = OS.get_executable_path().get_base_dir()
	var file := folder.path_join(BESIDE)
	if not FileAccess.file_exists(file):
		return ""
	for line: String in FileAccess.get_file_as_string(file).split("\n"):
		if line.begins_with("server="):
			var server := line.trim_prefix("server=")
			return server if server.is_absolute_path() else folder.path_join(server)
	return ""
