class_name NpcProcess
extends RefCounted
## Runs npc-server as a child process, and ends it.

## Seconds until the server must have written its ready file. It may have to read a large model's header first.
const READY_TIMEOUT_S := 60.0
## The exit code of npc-server when it does not know an option.
const WRONG_ARGUMENTS := 2

## If [code]true[/code], this system starts no programs.
static var _is_alone: bool = OS.has_feature("web") or OS.has_feature("mobile")

## The address of the server for gRPC; empty until it is ready.
var address: String = ""
## The address of its socket; empty until it is ready.
var socket: String = ""
## The token that every call must carry.
var token: String = ""

var _pid: int = -1
var _ready_file: String = ""
var _deadline_ms: int = 0
var _run: String = ""


## Returns [code]false[/code] on systems that start no other programs, such as browsers and phones.
static func can_run() -> bool:
	return not _is_alone


## Returns the arguments after [code]serve[/code]: the folder of saves, and those of the project setting.
static func get_arguments() -> PackedStringArray:
	var given := NpcSettings.get_list(NpcSettings.ARGUMENTS)
	if Array(given).any(func(word: String) -> bool: return word.begins_with("--save-folder")):
		return given
	var folder := ProjectSettings.globalize_path(NpcSettings.get_text(NpcSettings.SAVE_FOLDER))
	return PackedStringArray(["--save-folder", folder]) + given


## Starts [code]program serve --port 0 …[/code]. Returns [code]null[/code], or why it did not start.
func start(program: NpcProgram, given: PackedStringArray) -> NpcError:
	address = ""
	socket = ""
	token = ""
	if not can_run():
		var alone := "No server can run here, and %s names none, such as wss://npc.example.org. Characters follow their routine."
		return NpcError.make("FAILED_PRECONDITION", "NO_SERVER_HERE", alone % NpcSettings.ADDRESS)
	if not program.is_found():
		return program.get_error()
	var words := program.words
	_ready_file = OS.get_user_data_dir().path_join("npc-server-%d-%d.json" % [OS.get_process_id(), Time.get_ticks_usec()])
	var all := words.slice(1)
	all.append_array(["serve", "--port", "0", "--ready-file", _ready_file, "--parent-pid", str(OS.get_process_id())])
	all.append_array(given)
	_run = _as_typed(words + PackedStringArray(["serve"]) + given)
	_pid = OS.create_process(words[0], all)
	_deadline_ms = Time.get_ticks_msec() + int(READY_TIMEOUT_S * 1000.0)
	return null if _pid > 0 else NpcError.make("UNAVAILABLE", "NO_SERVER", "The program %s did not start." % words[0])


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
	if is_running() and OS.has_feature("windows"):
		OS.kill(_pid)
	elif is_running():
		OS.create_process("kill", ["-TERM", str(_pid)])
	_pid = -1


func _read(told: Dictionary) -> NpcError:
	DirAccess.remove_absolute(_ready_file)
	if told.has("error"):
		return NpcError.make("FAILED_PRECONDITION", "SERVER_NOT_STARTED", "npc-server did not start: %s" % told["error"])
	address = str(told.get("address", ""))
	socket = str(told.get("socket", ""))
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


## The command as one types it in a terminal: words with spaces in quotes.
static func _as_typed(words: PackedStringArray) -> String:
	var typed := PackedStringArray()
	for word in words:
		typed.append('"%s"' % word if " " in word else word)
	return " ".join(typed)
