@tool
extends EditorExportPlugin
## Takes along what an exported game needs beside its scenes: the town, persona and policy files that the project settings
## name, and a folder with Python, npc-server and its models.

## The option of an export preset: whether Python and npc-server go with the game.
const BUNDLE := "npc/take_server_along"
## The option of an export preset: whether the models go with the game.
const MODELS := "npc/take_models_along"
## The arguments for npc-server in the project settings that name a model.
const MODEL_ARGUMENTS: PackedStringArray = ["--model", "--embedding-model"]
## Arguments with which Godot exports and then ends, without a window.
const EXPORTS: PackedStringArray = ["--export-release", "--export-debug"]
## Begins the message of an export without minds.
const WITHOUT := "The characters of this game have no minds: "
## Says how to make the bundle of another system.
const HOW := "there is no bundle for %s in %s. Make it with the command below, or unpack it from the release there, and export again. %s"
## The heading of messages in the window of the export.
const CATEGORY := "npc-server"

var _path: String = ""
var _features: PackedStringArray = []
var _is_debug: bool = false
var _is_wanted: bool = false


func _get_name() -> String:
	return "npc"


## On other platforms there is nothing to take along, and that is said.
func _supports_platform(_platform: EditorExportPlatform) -> bool:
	return true


func _get_export_options(platform: EditorExportPlatform) -> Array[Dictionary]:
	if not platform.get_os_name() in ["Linux", "Windows", "macOS"]:
		return []
	return [
		{"option": {"name": BUNDLE, "type": TYPE_BOOL}, "default_value": true},
		{"option": {"name": MODELS, "type": TYPE_BOOL}, "default_value": true},
	]


func _export_begin(features: PackedStringArray, is_debug: bool, path: String, _flags: int) -> void:
	_take_routines()
	for file: String in NpcFiles.list_named():
		add_file(file, FileAccess.get_file_as_bytes(file), false)
	# A relative path begins in the project's folder.
	_path = ProjectSettings.globalize_path("res://").path_join(path) if path.is_relative_path() else path
	_features = features
	_is_debug = is_debug
	# A .pck or .zip holds scenes for a game that is there already.
	_is_wanted = not path.get_extension() in ["pck", "zip"]


## Puts the folder beside the game. By now the game's own files are there.
func _export_end() -> void:
	if not _is_wanted:
		return
	_is_wanted = false
	if not NpcExportAlone.get_system(_features).is_empty():
		var is_good := NpcExportAlone.has_minds(_features)
		_tell(
			EditorExportPlatform.EXPORT_MESSAGE_INFO if is_good else EditorExportPlatform.EXPORT_MESSAGE_WARNING,
			NpcExportAlone.get_words(_features)
		)
		return
	var beside := _path.get_base_dir().path_join(NpcProgram.BESIDE)
	var system := NpcBundle.find_system(_features)
	if system.is_empty():
		_tell(EditorExportPlatform.EXPORT_MESSAGE_WARNING, WITHOUT + "npc-server runs on Linux, Windows and macOS.")
		return
	if not (get_option(BUNDLE) as bool):
		_warn_of_needs(beside)
		return
	var problem := _put_own() if system == _get_own_system() else _put_other(system)
	if not problem.is_empty():
		_tell(EditorExportPlatform.EXPORT_MESSAGE_ERROR, problem)
		_end_with_error()
		return
	# It names the Python of this machine, which the game does not need any more.
	DirAccess.remove_absolute(beside)


## Takes along what everybody does where no server runs.
func _take_routines() -> void:
	var problem := NpcRoutineWriter.write()
	if not problem.is_empty():
		_tell(EditorExportPlatform.EXPORT_MESSAGE_WARNING, "Characters stand still where there is no server. %s" % problem)
	if FileAccess.file_exists(NpcRoutineFile.PATH):
		add_file(NpcRoutineFile.PATH, FileAccess.get_file_as_bytes(NpcRoutineFile.PATH), false)


## Gives Godot an exit code that scripts notice. Godot itself ends with 0 after any message of an addon.
func _end_with_error() -> void:
	var arguments := OS.get_cmdline_args()
	for argument: String in EXPORTS:
		if argument in arguments:
			# Godot is about to quit with 0, and the last one who quits decides.
			(Engine.get_main_loop() as SceneTree).quit.call_deferred(1)


## Says what players need who get no Python with the game.
func _warn_of_needs(beside: String) -> void:
	var former := beside.get_base_dir().path_join(NpcProgram.BUNDLE)
	if DirAccess.dir_exists_absolute(former):
		var told := "%s is of an earlier export, and the game uses it. Delete it, or switch the option %s on."
		_tell(EditorExportPlatform.EXPORT_MESSAGE_WARNING, told % [former, BUNDLE])
	# It names the Python of this machine, so the game takes the socket.
	DirAccess.remove_absolute(beside)
	var words := "The exported game looks for npc-server on its PATH. Players need it there, unless the option %s is on."
	_tell(EditorExportPlatform.EXPORT_MESSAGE_WARNING, words % BUNDLE)


## Makes the bundle of a game for this system. Returns why there is none, else empty.
func _put_own() -> String:
	var program := NpcProgram.find()
	if not program.is_found():
		return WITHOUT + program.get_error().message
	return _make_bundle(_get_place())


## Puts the bundle of another system beside the game, if one was made. Returns how to make it, else empty.
func _put_other(system: String) -> String:
	var place := _get_place()
	if place.is_empty():
		var words := "Export to a folder that ends in .app: a zip or dmg is closed before the server could be put into it."
		return WITHOUT + words
	var folder := ProjectSettings.globalize_path(NpcSettings.get_text(NpcSettings.BUNDLES)).path_join(system)
	var there := NpcBundle.read_mark(place)
	var made := NpcBundle.read_mark(folder)
	if not there.is_empty() and there.get("platform") == system and (made.is_empty() or made.get("made_of") == there.get("made_of")):
		_tell(EditorExportPlatform.EXPORT_MESSAGE_INFO, "Up to date: %s" % place)
		return ""
	if made.get("platform") != system:
		return WITHOUT + HOW % [system, folder, _get_command(system, folder)]
	if DirAccess.dir_exists_absolute(place) and there.is_empty():
		return "Players of this game get no npc-server. The folder %s is there and is not a bundle. Move it away." % place
	if not there.is_empty():
		NpcBundle.remove(place)
	var failed := NpcBundle.copy(folder, place)
	if not failed.is_empty():
		return "Players of this game get no npc-server. %s cannot be written. See that the disk has room, and export again." % failed
	_tell(EditorExportPlatform.EXPORT_MESSAGE_INFO, "Copied: %s" % place)
	return ""


## Returns where the bundle goes; empty if there is no such place.
func _get_place() -> String:
	if not _features.has("macos"):
		return _path.get_base_dir().path_join(NpcProgram.BUNDLE)
	return _path.path_join("Contents/Resources").path_join(NpcProgram.BUNDLE) if _path.get_extension() == "app" else ""


## Returns the name of the system that this editor runs on.
static func _get_own_system() -> String:
	return NpcBundle.find_system([OS.get_name().to_lower(), Engine.get_architecture_name()])


## Returns the command that makes a bundle, as one types it.
func _get_command(system: String, folder: String) -> String:
	var takes_models: bool = get_option(MODELS)
	var models := " ".join(_get_model_arguments()) if takes_models else "--without-models"
	var words := 'npc-server bundle "%s" --platform %s --python ARCHIVE --python-sha256 SUM %s'
	return (words % [folder, system, models]).strip_edges()


## Runs [code]npc-server bundle[/code], which does nothing if the folder is up to date. Returns why it failed, else empty.
func _make_bundle(folder: String) -> String:
	var words := PackedStringArray(["bundle", folder])
	if get_option(MODELS) as bool:
		words.append_array(_get_model_arguments())
	else:
		words.append("--without-models")
	var program := NpcProgram.find()
	var output: Array = []
	var code := OS.execute(program.words[0], program.words.slice(1) + words, output, true)
	var said := "\n".join(output).strip_edges()
	if code != 0:
		return "Players of this game get no npc-server. %s" % said.trim_prefix("npc-server: ")
	# A warning opens the window of the export, and a line does not.
	var warns := not _is_debug and _names_processors(folder)
	_tell(EditorExportPlatform.EXPORT_MESSAGE_WARNING if warns else EditorExportPlatform.EXPORT_MESSAGE_INFO, said)
	return ""


## Returns whether the models of a bundle run on some processors only.
static func _names_processors(folder: String) -> bool:
	return not (NpcBundle.read_mark(folder).get("processor", []) as Array).is_empty()


## Returns the arguments of the project settings that name models, so that these go with the game.
static func _get_model_arguments() -> PackedStringArray:
	var given := NpcSettings.get_list(NpcSettings.ARGUMENTS)
	var found := PackedStringArray()
	for i in given.size():
		if given[i] in MODEL_ARGUMENTS:
			found.append_array(given.slice(i, i + 2))
		elif given[i].get_slice("=", 0) in MODEL_ARGUMENTS:
			found.append(given[i])
	return found


## Shows a message in the window of the export or, without one, in the terminal.
func _tell(type: EditorExportPlatform.ExportMessageType, text: String) -> void:
	get_export_platform().add_message(type, CATEGORY, text)
