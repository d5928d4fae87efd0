class_name NpcProcess
extends RefCounted
## The server as a process of the game's own: started, watched, told to end.

## Seconds the server gets to write its ready file (it may have to read a large model's header first).
const READY_TIMEOUT_S := 60.0

## Where it listens, once it is ready.
var address: String = ""
## What every call must carry.
var token: String = ""

var _pid: int = -1
var _ready_file: String = ""
var _deadline_ms: int = 0
var _command: String = ""


## Starts `command serve --port 0 …`. Returns null, or why not.
func start(command: String, arguments: PackedStringArray) -> NpcError:
	_command = command
	address = ""
	token = ""
	# A path may hold spaces; else what comes after a space are arguments.
	var words := PackedStringArray([command]) if FileAccess.file_exists(command) else command.split(" ", false)
	if words.is_empty():
		return NpcError.make(
			"INVALID_ARGUMENT", "NO_COMMAND", "The project setting %s is empty. Set it to npc-server." % NpcSettings.COMMAND
		)
	_ready_file = OS.get_user_data_dir().path_join("npc-server-%d-%d.json" % [OS.get_process_id(), Time.get_ticks_usec()])
	var all := words.slice(1)
	all.append_array(["serve", "--port", "0", "--ready-file", _ready_file, "--parent-pid", str(OS.get_process_id())])
	all.append_array(arguments)
	_pid = OS.create_process(words[0], all)
	_deadline_ms = Time.get_ticks_msec() + int(READY_TIMEOUT_S * 1000.0)
	if _pid <= 0:
		return NpcError.make(
			"UNAVAILABLE",
			"NO_SERVER",
			"The program %s did not start. Install npc-server, or mend the project setting %s." % [words[0], NpcSettings.COMMAND]
		)
	return null


## Process id; -1 before it starts and after it was stopped.
func get_pid() -> int:
	return _pid


## Whether the process that was started still runs.
func is_running() -> bool:
	return _pid > 0 and OS.is_process_running(_pid)


## Looks for the ready file. Returns null while waiting and when ready ([member address] is set), or why it failed.
func poll() -> NpcError:
	if not address.is_empty():
		return null
	if FileAccess.file_exists(_ready_file):
		var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(_ready_file))
		if parsed is Dictionary and (parsed as Dictionary).has("address"):
			var ready: Dictionary = parsed
			address = str(ready.get("address", ""))
			token = str(ready.get("token", ""))
			DirAccess.remove_absolute(_ready_file)
			return null
	if not is_running():
		return NpcError.make(
			"UNAVAILABLE",
			"NO_SERVER",
			"%s ended before it was ready (exit code %d). Run it in a terminal to see why." % [_command, OS.get_process_exit_code(_pid)]
		)
	if Time.get_ticks_msec() > _deadline_ms:
		stop()
		return NpcError.make(
			"DEADLINE_EXCEEDED",
			"NO_SERVER",
			"%s was not ready in %d s. Run it in a terminal to see why." % [_command, int(READY_TIMEOUT_S)]
		)
	return null


## Asks the server to end; it saves its working copy first. A server left behind ends by itself when the game is gone.
func stop() -> void:
	if is_running():
		OS.create_process("kill", ["-TERM", str(_pid)])
	_pid = -1
