class_name NpcSettings
## The project settings under [code]npc/[/code], and their defaults.

## What carries messages: "auto", "socket" or "native". The environment variable NPC_SERVER_TRANSPORT overrides it.
const TRANSPORT := "npc/server/transport"
## The program to start, with arguments after spaces. If empty or not there, [NpcProgram] looks elsewhere.
const COMMAND := "npc/server/command"
## If [code]true[/code], the game starts the server, and starts it again if it dies.
const START := "npc/server/start"
## Where a server is that the game does not start (see [NpcAddress]).
const ADDRESS := "npc/server/address"
## The file of a certificate (PEM): that of the server, or of the authority that signed it. Empty for the authorities that
## the system trusts.
const CERTIFICATE := "npc/server/certificate"
## The port of that server's socket; 0 for the port after that of its address.
const SOCKET_PORT := "npc/server/socket_port"
## The token of a server that the game does not start. The environment variable NPC_SERVER_TOKEN overrides it.
const TOKEN := "npc/server/token"
## More arguments for [code]npc-server serve[/code], such as [code]--model NAME[/code].
const ARGUMENTS := "npc/server/arguments"
## The folder of bundles for exports to other systems: each in a folder with the system's name, such as "windows".
const BUNDLES := "npc/server/bundles"
## The folder of saves for a server that the game starts. It is under user://, so that each game has its own.
const SAVE_FOLDER := "npc/save/folder"
## The game's id in its saves; saves of another game are refused. If empty, application/config/name is used.
const GAME := "npc/save/game"
## The save to open, or to create if there is none.
const SLOT := "npc/save/slot"
## The town file (YAML).
const TOWN := "npc/save/town"
## The folder of persona files, one YAML file per character.
const PERSONAS := "npc/save/personas"
## The folder of mods. Each folder in it is a mod, with persona files in its [code]personas[/code] folder that change or
## add characters. Empty for none.
const MODS := "npc/save/mods"
## A file of Lifestyle Policies (YAML): plans that characters of a new save may follow without the model. Empty for
## none.
const POLICIES := "npc/save/policies"
## The seed of everything random in a new save.
const SEED := "npc/save/seed"
## Whether changed persona, town and mod files are applied at once, while the game runs and when a save is opened: "on",
## "off", or "auto" for those games only that are run from the editor.
const APPLY_CHANGES := "npc/save/apply_changes"
## The initial value of [member NpcServerNode.talk_distance_m].
const TALK_DISTANCE := "npc/talk/distance_m"
## The key that opens the panel of the running game, such as "F10" (see [NpcPanelHost]). Empty for none.
const PANEL_KEY := "npc/panel/key"
## If [code]true[/code], release exports have the panel, too. It shows secrets of the characters.
const PANEL_IN_RELEASE := "npc/panel/in_release"
## The initial value of [member NpcServerNode.time_scale].
const TIME_SCALE := "npc/time/scale"
## The initial value of [member NpcServerNode.clock_runs_while_paused].
const RUNS_WHILE_PAUSED := "npc/time/runs_while_paused"

## The default of each setting.
const DEFAULTS: Dictionary[String, Variant] = {
	TRANSPORT: "auto",
	COMMAND: "",
	START: true,
	ADDRESS: "127.0.0.1:50551",
	CERTIFICATE: "",
	SOCKET_PORT: 0,
	TOKEN: "",
	ARGUMENTS: [],
	BUNDLES: "res://npc_bundles",
	SAVE_FOLDER: "user://npc_saves",
	GAME: "",
	SLOT: "default",
	TOWN: "",
	PERSONAS: "",
	MODS: "user://npc_mods",
	POLICIES: "",
	SEED: 0,
	APPLY_CHANGES: "auto",
	TALK_DISTANCE: 8.0,
	PANEL_KEY: "F10",
	PANEL_IN_RELEASE: false,
	TIME_SCALE: 60.0,
	RUNS_WHILE_PAUSED: false,
}

## The values of the settings that have a choice.
const CHOICES: Dictionary[String, String] = {TRANSPORT: "auto,socket,native", APPLY_CHANGES: "auto,on,off"}


## Adds the settings to the editor. May be called again.
static func register() -> void:
	for setting: String in DEFAULTS:
		if not ProjectSettings.has_setting(setting):
			ProjectSettings.set_setting(setting, DEFAULTS[setting])
		ProjectSettings.set_initial_value(setting, DEFAULTS[setting])
		ProjectSettings.set_as_basic(setting, true)
	var former: Variant = ProjectSettings.get_setting(APPLY_CHANGES)
	if former is bool:  # of an earlier version
		ProjectSettings.set_setting(APPLY_CHANGES, "on" if former == true else "off")
	for setting: String in CHOICES:
		var choice := {"name": setting, "type": TYPE_STRING, "hint": PROPERTY_HINT_ENUM, "hint_string": CHOICES[setting]}
		ProjectSettings.add_property_info(choice)


## Returns whether changed files are applied at once (see [constant APPLY_CHANGES]). In an earlier version the setting was
## a bool.
static func applies_changes() -> bool:
	match get_text(APPLY_CHANGES):
		"on", "true":
			return true
		"off", "false":
			return false
	return OS.has_feature("editor")


## Returns the game's id in its saves.
static func get_game_id() -> String:
	var given := get_text(GAME)
	return given if not given.is_empty() else str(ProjectSettings.get_setting("application/config/name", ""))


## Returns [code]true[/code] if the game uses the server that [constant ADDRESS] names: it is not to start one, or cannot.
static func names_server() -> bool:
	return not get_flag(START) or (not NpcProcess.can_run() and NpcAddress.has_scheme(get_text(ADDRESS)))


## Returns where the socket of a server with a given address is.
static func get_socket_address(address: String) -> String:
	if NpcAddress.has_scheme(address):
		return address
	var colon := address.rfind(":")
	var own := get_int(SOCKET_PORT)
	return "%s:%d" % [address.substr(0, colon), own if own > 0 else address.substr(colon + 1).to_int() + 1]


## Returns a setting. Godot's feature tags override it, such as [code]npc/server/address.web[/code].
static func get_value(setting: String) -> Variant:
	if not ProjectSettings.has_setting(setting):
		ProjectSettings.set_setting(setting, DEFAULTS[setting])  # Godot looks for overrides only of what is there
	return ProjectSettings.get_setting_with_override(setting)


## Returns a setting as a text.
static func get_text(setting: String) -> String:
	return str(get_value(setting))


## Returns a setting as a bool.
static func get_flag(setting: String) -> bool:
	return bool(get_value(setting))


## Returns a setting as an int.
static func get_int(setting: String) -> int:
	return get_value(setting) as int


## Returns a setting as a float.
static func get_float(setting: String) -> float:
	return get_value(setting) as float


## Returns a setting as a list of texts.
static func get_list(setting: String) -> PackedStringArray:
	var found: Variant = get_value(setting)
	return PackedStringArray(Array(found)) if found is Array or found is PackedStringArray else PackedStringArray()
