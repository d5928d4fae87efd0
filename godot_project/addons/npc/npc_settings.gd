class_name NpcSettings
## The project settings under `npc/`, and their defaults.

## Program that is the server, with arguments after spaces. The environment variable
## NPC_SERVER_COMMAND goes first, for a server in a virtual environment.
const COMMAND := "npc/server/command"
## True lets the game start the server itself, and start it again when it dies.
const START := "npc/server/start"
## Where a server that is not started by the game listens, as "host:port".
const ADDRESS := "npc/server/address"
## The token of a server that is not started by the game. The environment variable
## NPC_SERVER_TOKEN goes first.
const TOKEN := "npc/server/token"
## More arguments for `npc-server serve`, e.g. `--model NAME`.
const ARGUMENTS := "npc/server/arguments"
## Folder of the saves, given to a server that the game starts. Under user://, so that each game has its own.
const SAVE_FOLDER := "npc/save/folder"
## The game's id in its saves; another game's save is refused. While it is empty, application/config/name.
const GAME := "npc/save/game"
## The save that is opened, or made when there is none.
const SLOT := "npc/save/slot"
## The town file, YAML.
const TOWN := "npc/save/town"
## Folder of the persona files, one YAML file for each character.
const PERSONAS := "npc/save/personas"
## File of Lifestyle Policies, YAML: plans that a new save's characters may live by without the model. Empty for none.
const POLICIES := "npc/save/policies"
## Seed of everything random in a new save.
const SEED := "npc/save/seed"
## True takes over persona and town files as soon as they change, while the game runs and when a save is opened.
const APPLY_CHANGES := "npc/save/apply_changes"
## Game seconds in a second: NpcServer.time_scale begins with it.
const TIME_SCALE := "npc/time/scale"

const DEFAULTS: Dictionary = {
	COMMAND: "npc-server",
	START: true,
	ADDRESS: "127.0.0.1:50551",
	TOKEN: "",
	ARGUMENTS: [],
	SAVE_FOLDER: "user://npc_saves",
	GAME: "",
	SLOT: "default",
	TOWN: "",
	PERSONAS: "",
	POLICIES: "",
	SEED: 0,
	APPLY_CHANGES: false,
	TIME_SCALE: 60.0,
}


## Makes the settings known to the editor. Harmless when they are.
static func register() -> void:
	for setting: String in DEFAULTS:
		if not ProjectSettings.has_setting(setting):
			ProjectSettings.set_setting(setting, DEFAULTS[setting])
		ProjectSettings.set_initial_value(setting, DEFAULTS[setting])
		ProjectSettings.set_as_basic(setting, true)


## The id that saves of this game carry.
static func game() -> String:
	var given := text(GAME)
	return given if not given.is_empty() else str(ProjectSettings.get_setting("application/config/name", ""))


static func text(setting: String) -> String:
	return str(ProjectSettings.get_setting(setting, DEFAULTS[setting]))


static func flag(setting: String) -> bool:
	return bool(ProjectSettings.get_setting(setting, DEFAULTS[setting]))


static func whole(setting: String) -> int:
	return int(str(ProjectSettings.get_setting(setting, DEFAULTS[setting])))


static func number(setting: String) -> float:
	return float(str(ProjectSettings.get_setting(setting, DEFAULTS[setting])))


static func list(setting: String) -> PackedStringArray:
	var found: Variant = ProjectSettings.get_setting(setting, DEFAULTS[setting])
	return PackedStringArray(Array(found)) if found is Array or found is PackedStringArray else PackedStringArray()
