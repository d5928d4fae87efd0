@tool
class_name NpcGetter
extends Node
## Gets npc-server for this machine: from a folder, from an address, or with pip. The editor's dialog uses it.
##
## Nothing of it goes into the project: the server lies in [code]user://[/code], and so does the file that names it. A game
## that is run from the editor finds it there, and a teammate gets a server of their own.

## Emitted when there is news of what is being done. [param share] is between 0 and 1, or negative if unknown.
signal progressed(text: String, share: float)
## Emitted at the end. [param error] is [code]null[/code] if there is a server now.
signal finished(error: NpcError)

## Where a downloaded server, or the one that pip installs, lies.
const FOLDER := "user://npc_server"
## What pip installs. The version is that of the addon.
const PACKAGE := "npc-server[prebuilt]"
## Where a folder may have the program, besides that of a bundle.
const PROGRAMS: PackedStringArray = ["bin/npc-server", ".venv/bin/npc-server", "Scripts/npc-server.exe", ".venv/Scripts/npc-server.exe"]
## What makes the small models that come with no package, after pip has installed the server: what each gives, and its command.
const MODELS: Dictionary[String, String] = {
	"compares memories by meaning": "model make-embedder",
	"finds what fits a line of the player": "model prepare-exchanges",
	"reads answers again": "model pull npc-rerank",
}
## Says whether a Python can make an environment of its own.
const SUITS := "import sys, venv, ensurepip; print('suits' if sys.version_info >= (3, 10) else sys.version.split()[0])"
## How lines of pip's log begin that tell people how far it is.
const STEPS: PackedStringArray = ["Collecting", "Downloading", "Processing", "Installing"]
## The permissions of programs (0755): the zip does not tell Godot of them.
const PROGRAM_MODE := 0x1ED
## How addresses of this machine begin, which need no encryption.
const LOOPBACK: PackedStringArray = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"]

## What is still missing at the end, and the command that gets it; empty if nothing is.
var note: String = ""

var _request: HTTPRequest = null
var _sum: String = ""
var _thread: Thread = null
var _log: String = ""
var _doing: String = ""
var _told: String = ""
var _wants_models: bool = false


func _process(_delta: float) -> void:
	if _request != null:
		var whole := _request.get_body_size()
		var there := _request.get_downloaded_bytes()
		_tell("Downloading: %.0f MB" % (there / 1e6), float(there) / whole if whole > 0 else -1.0)
	elif not _log.is_empty():
		_tell(("%s: %s" % [_doing, _read_step()]).trim_suffix(": "), -1.0)


func _exit_tree() -> void:
	if _thread != null:
		_thread.wait_to_finish()
		_thread = null


## Returns [code]true[/code] while a server is being got.
func is_busy() -> bool:
	return _request != null or _thread != null


## Takes the server that lies in a folder: a bundle, a clone of npc-server after [code]make install[/code], or a Python environment.
func from_folder(folder: String) -> void:
	var words := NpcBundle.get_words(folder)
	for program: String in PROGRAMS:
		if words.is_empty() and FileAccess.file_exists(folder.path_join(program)):
			words = [folder.path_join(program)]
	if words.is_empty():
		_fail(
			"There is no npc-server in %s. Choose a bundle for this system, a clone after make install, or a virtual environment." % folder
		)
		return
	_start(_try.bind(words), "Trying it")


## Downloads a bundle for this system as a zip. [param sha256] is its checksum, which stands beside it in the release.
func from_url(url: String, sha256: String) -> void:
	var is_local := Array(LOOPBACK).any(func(start: String) -> bool: return url.begins_with(start))
	if not url.begins_with("https://") and not is_local:
		_fail("The address %s does not begin with https://. Correct it." % url)
		return
	_sum = sha256.strip_edges().to_lower()
	if _sum.length() != 64 or not _sum.is_valid_hex_number():
		_fail("'%s' is no SHA-256: it has 64 digits and letters from a to f. It stands beside the file, in SHA256SUMS." % sha256)
		return
	_request = HTTPRequest.new()
	_request.download_file = ProjectSettings.globalize_path(FOLDER + ".zip")
	_request.request_completed.connect(_on_downloaded.bind(url))
	add_child(_request)
	var error := _request.request(url)
	if error != OK:
		_end_request()
		_fail("%s cannot be asked for: %s. Correct the address." % [url, error_string(error)])


## Makes a Python environment in [code]user://[/code], and lets pip install npc-server into it, from wheels alone. Then the server makes
## its small models. One that cannot be made is told in [member note]. [param more] are further arguments of pip.
func by_pip(more: PackedStringArray = []) -> void:
	var python := find_python()
	if python.is_empty():
		_fail(
			"There is no Python 3.10 or newer here that has venv. Install one (on Debian: python3 and python3-venv), or get the server otherwise."
		)
		return
	DirAccess.remove_absolute(_get_log())
	_wants_models = true
	_start(_install.bind(python, more), "pip installs npc-server")
	_log = _get_log()


## Returns the words that start a Python with which an environment can be made; empty if there is none.
static func find_python() -> PackedStringArray:
	var choices: Array[PackedStringArray] = [["python3"], ["python"]]
	if OS.has_feature("windows"):
		choices.push_front(["py", "-3"] as PackedStringArray)
	for words: PackedStringArray in choices:
		var output: Array = []
		if OS.execute(words[0], words.slice(1) + PackedStringArray(["-c", SUITS]), output) == 0 and str(output[0]).strip_edges() == "suits":
			return words
	return []


func _on_downloaded(result: int, code: int, _headers: PackedStringArray, _body: PackedByteArray, url: String) -> void:
	var file := _request.download_file
	_end_request()
	if result != HTTPRequest.RESULT_SUCCESS or code != HTTPClient.RESPONSE_OK:
		DirAccess.remove_absolute(file)
		_fail("%s cannot be downloaded (HTTP %d, error %d). See whether a browser gets it." % [url, code, result])
		return
	var sum := FileAccess.get_sha256(file)
	if sum != _sum:
		DirAccess.remove_absolute(file)
		_fail("What came from %s has the SHA-256 %s, not %s. Compare it with the release, and download it again." % [url, sum, _sum])
		return
	_start(_unpack.bind(file), "Unpacking")


func _end_request() -> void:
	_request.queue_free()
	_request = null


## Runs a step that takes long apart from the editor. It returns what to do next, the words of a server, or an error.
func _start(step: Callable, doing: String) -> void:
	note = ""
	_doing = doing
	_tell(doing, -1.0)
	_thread = Thread.new()
	_thread.start(func() -> void: _on_done.call_deferred(step.call()))


## Returns the last line of pip's log that tells people something, without its time; empty at first.
func _read_step() -> String:
	var lines := FileAccess.get_file_as_string(_log).split("\n") if FileAccess.file_exists(_log) else PackedStringArray()
	lines.reverse()
	for line: String in lines:
		var told := line.substr(line.find(" ") + 1).strip_edges()
		if STEPS.has(told.get_slice(" ", 0)):
			return told.get_slice(" ", 0) + " " + told.get_slice(" ", 1).get_file()
	return ""


## Puts an error or the words of a server in the place where everybody looks.
func _on_done(result: Variant) -> void:
	if _thread == null:
		return
	_thread.wait_to_finish()
	_thread = null
	_log = ""
	var wants_models := _wants_models
	_wants_models = false
	if result is String:
		_fail(result as String)
		return
	var file := FileAccess.open(NpcProgram.CHOSEN, FileAccess.WRITE)
	if file == null:
		_fail("%s cannot be written: %s." % [ProjectSettings.globalize_path(NpcProgram.CHOSEN), error_string(FileAccess.get_open_error())])
		return
	file.store_string(JSON.stringify({"words": Array(result as PackedStringArray)}))
	file.close()
	if wants_models:
		_start(_make_models.bind(result as PackedStringArray), "The server makes its small models, from 181 MB of PyPI (once)")
		return
	finished.emit(null)


func _fail(message: String) -> void:
	finished.emit(NpcError.make("FAILED_PRECONDITION", "NOT_GOT", message))


func _tell(text: String, share: float) -> void:
	if text != _told:
		_told = text
		progressed.emit(text, share)


# ---- apart from the main thread: each returns the words of a server, or why there is none


static func _try(words: PackedStringArray) -> Variant:
	var output: Array = []
	if OS.execute(words[0], words.slice(1) + PackedStringArray(["version"]), output, true) == 0:
		return words
	return "%s does not start: %s. Get one for this system." % [" ".join(words), _last_line(output)]


static func _unpack(file: String) -> Variant:
	var zip := ZIPReader.new()
	if zip.open(file) != OK:
		return "%s is no zip, though its checksum is right. Give the address of a bundle's zip." % file
	var marks := Array(zip.get_files()).filter(func(name: String) -> bool: return name.get_file() == NpcBundle.MARK)
	marks.sort_custom(func(a: String, b: String) -> bool: return a.count("/") < b.count("/"))
	var top := str(marks[0]).get_base_dir() if not marks.is_empty() else ""
	var folder := ProjectSettings.globalize_path(FOLDER)
	NpcBundle.remove(folder)
	for name: String in zip.get_files():
		var inside := name.trim_prefix(top).trim_prefix("/")
		if marks.is_empty() or ".." in inside.split("/") or inside.is_absolute_path():
			return "%s is no bundle of npc-server. Give the address of a bundle's zip." % file
		if not name.ends_with("/") and not _write(folder.path_join(inside), zip.read_file(name)):
			return "%s cannot be written. See that the disk has room." % folder.path_join(inside)
	zip.close()
	DirAccess.remove_absolute(file)
	var words := NpcBundle.get_words(folder)
	if words.is_empty():
		return (
			"The bundle is not for this system, but for %s. Get the one for %s."
			% [NpcBundle.read_mark(folder).get("platform", "another"), OS.get_name()]
		)
	for program: String in ["npc-server", "python/bin/python3"]:
		FileAccess.set_unix_permissions(folder.path_join(program), PROGRAM_MODE as FileAccess.UnixPermissionFlags)
	return _try(words)


static func _install(python: PackedStringArray, more: PackedStringArray) -> Variant:
	var folder := ProjectSettings.globalize_path(FOLDER)
	NpcBundle.remove(folder)
	var output: Array = []
	if OS.execute(python[0], python.slice(1) + PackedStringArray(["-m", "venv", folder]), output, true) != 0:
		return "Python cannot make an environment in %s: %s." % [folder, _last_line(output)]
	var is_windows := OS.has_feature("windows")
	var its := folder.path_join("Scripts/python.exe" if is_windows else "bin/python")
	var words: PackedStringArray = ["-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off", "--only-binary=:all:"]
	words.append_array(["--log", _get_log(), "%s==%s" % [PACKAGE, _get_version()]])
	output.clear()
	if OS.execute(its, words + more, output, true) != 0:
		return "pip cannot install %s: %s. See %s." % [PACKAGE, _last_line(output), _get_log()]
	return _try([folder.path_join("Scripts/npc-server.exe" if is_windows else "bin/npc-server")])


func _make_models(words: PackedStringArray) -> Variant:
	var missing := PackedStringArray()
	for gift: String in MODELS:
		var output: Array = []
		var command := words.slice(1) + MODELS[gift].split(" ")
		if OS.execute(words[0], command, output, true) != 0:
			var line := " ".join(PackedStringArray([words[0]]) + command)
			missing.append("What %s is missing (%s). Run in a terminal: %s" % [gift, _last_line(output), line])
	set_deferred("note", "\n".join(missing))
	return words


static func _write(path: String, bytes: PackedByteArray) -> bool:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var file := FileAccess.open(path, FileAccess.WRITE)
	return file != null and file.store_buffer(bytes)


static func _last_line(output: Array) -> String:
	var lines := "\n".join(output).strip_edges().split("\n")
	return lines[-1].trim_prefix("ERROR: ").trim_suffix(".") if not lines[-1].is_empty() else "no message"


static func _get_log() -> String:
	return ProjectSettings.globalize_path(FOLDER + ".log")


static func _get_version() -> String:
	var plugin := ConfigFile.new()
	plugin.load("res://addons/npc/plugin.cfg")
	return str(plugin.get_value("plugin", "version", ""))
