class_name NpcProcess
extends RefCounted
## Finds npc-server, runs it as a child process, and ends it.

## Seconds until the server must have written its ready file. It may have to read a large model's header first.
const READY_TIMEOUT_S := 60.0
## The exit code of npc-server when it does not know an option.
const WRONG_ARGUMENTS := 2
## The environment variable with the program to start.
const VARIABLE := "NPC_SERVER_COMMAND"
## The file beside the native library that names the program.
const BESIDE := "npc_bridge.path"
## The folder beside an exported game that [code]npc-server bundle[/code] makes.
const BUNDLE := "npc-server"

## The address of the server; empty until it is ready.
var address: String = ""
## The token that every call must carry.
var token: String = ""

var _pid: int = -1
var _ready_file: String = ""
var _deadline_ms: int = 0
var _run: String = ""


## Returns the program to start. It looks in the environment variable NPC_SERVER_COMMAND, in the folder that an exported
## game takes along, in the project setting, and beside the Python of the native library, which has the same version. The
## last choice is npc-server on the PATH.
static func find_command() -> String:
	var given := OS.get_environment(VARIABLE)
	if not given.is_empty():
		return given
	var game := OS.get_executable_path().get_base_dir()
	var carried := _read_server(game.path_join(BUNDLE)) if OS.has_feature("template") else ""
	if not carried.is_empty():
		return carried
	var setting := NpcSettings.get_text(NpcSettings.COMMAND)
	if setting != str(NpcSettings.DEFAULTS[NpcSettings.COMMAND]):
		return setting
	var beside := find_beside_bridge()
	if beside.is_empty():
		beside = _read_server(game)
	return beside if not beside.is_empty() else setting


## Returns the npc-server beside the Python that the project's native library was built with; empty if there is none.
static func find_beside_bridge() -> String:
	return _read_server(ProjectSettings.globalize_path("res://addons/npc/bin"))


static func _read_server(folder: String) -> String:
	var file := folder.path_join(BESIDE)
	if not FileAccess.file_exists(file):
		return ""
	for line: String in FileAccess.get_file_as_string(file).split("\n"):
		if line.begins_with("server="):
			var server := line.trim_prefix("server=")
			var path := server if server.is_absolute_path() else folder.path_join(server)
			return path if FileAccess.file_exists(path) else ""
	return ""


## Returns the arguments after [code]serve[/code]: the folder of saves, and those of the project setting.
static func get_arguments() -> PackedStringArray:
	var given := NpcSettings.get_list(NpcSettings.ARGUMENTS)
	if Array(given).any(func(word: String) -> bool: return word.begins_with("--save-folder")):
		return given
	var folder := ProjectSettings.globalize_path(NpcSettings.get_text(NpcSettings.SAVE_FOLDER))
	return PackedStringArray(["--save-folder", folder]) + given


## Starts [code]command serve --port 0 …[/code]. Returns [code]null[/code], or why it did not start.
func start(command: String, given: PackedStringArray) -> NpcError:
	address = ""
	token = ""
	# The path of a file may contain spaces; otherwise a space separates arguments.
	var words := PackedStringArray([command]) if FileAccess.file_exists(command) else command.split(" ", false)
	if words.is_empty():
		return NpcError.make(
			"INVALID_ARGUMENT", "NO_COMMAND", "The project setting %s is empty. Set it to npc-server." % NpcSettings.COMMAND
		)
	if not _is_there(words[0]):
		return _not_found(words[0])
	_ready_file = OS.get_user_data_dir().path_join("npc-server-%d-%d.json" % [OS.get_process_id(), Time.get_ticks_usec()])
	var all := words.slice(1)
	all.append_array(["serve", "--port", "0", "--ready-file", _ready_file, "--parent-pid", str(OS.get_process_id())])
	all.append_array(given)
	_run = _as_typed(words + PackedStringArray(["serve"]) + given)
	_pid = OS.create_process(words[0], all)
	_deadline_ms = Time.get_ticks_msec() + int(READY_TIMEOUT_S * 1000.0)
	return null if _pid > 0 else _not_found(words[0])


## Returns the process id; -1 before the start and after the end.
func get_pid() -> int:
	return _pid


## Returns [code]true[/code] while the process runs.
func is_running() -> bool:
	return _pid > 0 and OS.is_process_running(_pid)


## Looks for the ready file. Returns why the server failed, or [code]null[/code]. When the server is ready,
## [member address] is set.
func poll() -> NpcError:
	if not address.is_empty():
		return null
	var runs := is_running()  # asked first, because a server that fails writes the file and then ends
	if FileAccess.file_exists(_ready_file):
		var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(_ready_file))
		if parsed is Dictionary:
			return _read(parsed as Dictionary)
	if not runs:
		return _ended()
	if Time.get_ticks_msec() > _deadline_ms:
		stop()
		var words := "%s was not ready in %d s. Run it in a terminal to see why." % [_run, int(READY_TIMEOUT_S)]
		return NpcError.make("DEADLINE_EXCEEDED", "NO_SERVER", words)
	return null


## Asks the server to end. It saves its working copy first. A server that is not asked ends by itself after the game.
func stop() -> void:
	if is_running():
		OS.create_process("kill", ["-TERM", str(_pid)])
	_pid = -1


func _read(told: Dictionary) -> NpcError:
	DirAccess.remove_absolute(_ready_file)
	if told.has("error"):
		return NpcError.make("FAILED_PRECONDITION", "SERVER_NOT_STARTED", "npc-server did not start: %s" % told["error"])
	address = str(told.get("address", ""))
	token = str(told.get("token", ""))
	return null


func _ended() -> NpcError:
	var code := OS.get_process_exit_code(_pid)
	if code == WRONG_ARGUMENTS:
		var words := "npc-server does not accept its arguments. Correct %s. To see what is wrong, run in a terminal: %s"
		return NpcError.make("INVALID_ARGUMENT", "SERVER_NOT_STARTED", words % [NpcSettings.ARGUMENTS, _run])
	return NpcError.make(
		"UNAVAILABLE", "NO_SERVER", "npc-server ended before it was ready (exit code %d). To see why, run in a terminal: %s" % [code, _run]
	)


## Returns [code]true[/code] if the program exists, as a path or on the PATH. Godot does not tell a missing program from
## a killed one.
static func _is_there(program: String) -> bool:
	if program.contains("/"):
		return FileAccess.file_exists(program)
	for folder: String in OS.get_environment("PATH").split(":", false):
		if FileAccess.file_exists(folder.path_join(program)):
			return true
	return false


func _not_found(program: String) -> NpcError:
	var carried := OS.get_executable_path().get_base_dir().path_join(BUNDLE)
	if OS.has_feature("template") and not DirAccess.dir_exists_absolute(carried):
		var told := "There is no folder %s. The export puts it beside the game, with Python and npc-server. Copy it there."
		return NpcError.make("UNAVAILABLE", "NO_SERVER", told % carried)
	var words := "The program %s did not start. Install npc-server, or set its path in the project setting %s or the environment variable %s."
	return NpcError.make("UNAVAILABLE", "NO_SERVER", words % [program, NpcSettings.COMMAND, VARIABLE])


## The command as one types it in a terminal: words with spaces in quotes.
static func _as_typed(words: PackedStringArray) -> String:
	var typed := PackedStringArray()
	for word in words:
		typed.append('"%s"' % word if " " in word else word)
	return " ".join(typed)
