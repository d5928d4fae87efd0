class_name DemoSettings
## The player's settings. They are kept in a file and applied at once.

const FILE := "user://settings.cfg"
const SECTION := "demo"
const BEST := "best"
const NONE := "none"
## Game seconds per second, by the setting's text.
const SPEEDS: Dictionary[String, float] = {"half": 30.0, "normal": 60.0, "fast": 120.0, "very fast": 240.0}
const DEFAULTS: Dictionary[String, Variant] = {"model": BEST, "text": "normal", "speed": "normal", "volume": 0.7, "full_screen": false}

static var _values: Dictionary[String, Variant] = {}


## Returns a setting.
static func read(setting: String) -> Variant:
	if _values.is_empty():
		_load()
	return _values[setting]


## Changes a setting, keeps it, and applies it. Another model counts once the server has started again: see
## [method needs_restart].
static func change(setting: String, value: Variant) -> void:
	read(setting)
	_values[setting] = value
	var file := ConfigFile.new()
	for key: String in _values:
		file.set_value(SECTION, key, _values[key])
	var code := file.save(FILE)
	if code != OK:
		push_warning("The settings could not be kept in %s (%s). Make room there, or make it writable." % [FILE, error_string(code)])
	apply()


## Applies all settings.
static func apply() -> void:
	DemoTextSize.scale = DemoTextSize.SCALES.get(read("text"), 1.0)
	var volume: float = read("volume")
	AudioServer.set_bus_mute(0, volume <= 0.0)
	AudioServer.set_bus_volume_db(0, linear_to_db(maxf(volume, 0.001)))
	var speed: float = SPEEDS.get(read("speed"), 60.0)
	if speed != NpcSettings.get_float(NpcSettings.TIME_SCALE):
		ProjectSettings.set_setting(NpcSettings.TIME_SCALE, speed)
		NpcServer.time_scale = speed
	ProjectSettings.set_setting(NpcSettings.ARGUMENTS, _with_model(NpcSettings.get_list(NpcSettings.ARGUMENTS), read("model") as String))
	if DisplayServer.get_name() != "headless":
		var wanted := DisplayServer.WINDOW_MODE_FULLSCREEN if read("full_screen") else DisplayServer.WINDOW_MODE_WINDOWED
		if (DisplayServer.window_get_mode() == DisplayServer.WINDOW_MODE_FULLSCREEN) != (read("full_screen") as bool):
			DisplayServer.window_set_mode(wanted)


## Returns [code]true[/code] if a server runs that was started with another model than the setting's.
static func needs_restart(model_at_start: String) -> bool:
	return NpcServer.state != NpcServer.State.STOPPED and read("model") != model_at_start


## Forgets what was read, so that the file counts again.
static func forget() -> void:
	_values.clear()


static func _load() -> void:
	var file := ConfigFile.new()
	file.load(FILE)  # there is none before the first change
	for key: String in DEFAULTS:
		var found: Variant = file.get_value(SECTION, key, DEFAULTS[key])
		_values[key] = found if typeof(found) == typeof(DEFAULTS[key]) else DEFAULTS[key]


## The default is left to the server, whose own settings may name a model.
static func _with_model(arguments: PackedStringArray, model: String) -> PackedStringArray:
	var found := PackedStringArray()
	var skips := false
	for given: String in arguments:
		if skips or given == "--model":
			skips = given == "--model"
			continue
		found.append(given)
	if model != BEST:
		found.append_array(["--model", model])
	return found
