class_name DemoSettingsPage
extends DemoMenuPage
## The settings. Each counts at once; another model after a restart of the server, which the page offers.

## Emitted when the size of texts has changed, so that menus must be built anew.
signal text_changed

const MODEL_TEXTS: Dictionary[String, String] = {
	DemoSettings.BEST: "the best that is here", DemoSettings.NONE: "none, everybody lives by instinct"
}

## The model of the setting when the server started.
static var model_at_start: String = ""

var _model := DemoSettingRow.new()
var _told := DemoTheme.label("", DemoTheme.SMALL, DemoPalette.TEXT_DIM)
var _restart: Button


func _fill() -> void:
	head.text = "Settings"
	if model_at_start.is_empty() or NpcServer.state == NpcServer.State.STOPPED:
		model_at_start = DemoSettings.read("model")
	_add(_model, "Model", "model", [DemoSettings.BEST, DemoSettings.NONE], _get_model_texts([DemoSettings.BEST, DemoSettings.NONE]))
	var texts := DemoTextSize.SCALES.keys()
	_add(DemoSettingRow.new(), "Size of texts", "text", texts, PackedStringArray(texts)).changed.connect(
		func(_value: Variant) -> void: text_changed.emit()
	)
	var speeds := DemoSettings.SPEEDS.keys()
	var shown := PackedStringArray()
	for speed: String in speeds:
		shown.append("%s: a day lasts %d minutes" % [speed, roundi(1440.0 / DemoSettings.SPEEDS[speed])])
	_add(DemoSettingRow.new(), "Speed of time", "speed", speeds, shown)
	var volumes: Array = []
	var percents := PackedStringArray()
	for i: int in 11:
		volumes.append(i / 10.0)
		percents.append("%d %%" % (i * 10) if i > 0 else "silent")
	_add(DemoSettingRow.new(), "Volume", "volume", volumes, percents)
	_add(DemoSettingRow.new(), "Window", "full_screen", [false, true], ["in a window", "full screen"])
	_told.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	body.add_child(_told)
	_restart = DemoTheme.button("Restart the server", _on_restart)
	buttons.add_child(_restart)
	_tell()
	var models := DemoModels.new()
	models.listed.connect(_on_listed)
	add_child(models)


func _add(row: DemoSettingRow, title: String, setting: String, values: Array, texts: PackedStringArray) -> DemoSettingRow:
	row.title = title
	row.offer(values, texts, DemoSettings.read(setting))
	row.changed.connect(_on_changed.bind(setting))
	body.add_child(row)
	return row


func _on_changed(value: Variant, setting: String) -> void:
	DemoSettings.change(setting, value)
	_tell()


func _on_listed(names: PackedStringArray) -> void:
	var values: Array = [DemoSettings.BEST, DemoSettings.NONE]
	values.append_array(Array(names))
	var chosen: String = DemoSettings.read("model")
	if chosen not in values:
		values.append(chosen)
	_model.offer(values, _get_model_texts(values), chosen)


func _get_model_texts(values: Array) -> PackedStringArray:
	var found := PackedStringArray()
	for value: String in values:
		found.append(MODEL_TEXTS.get(value, value))
	return found


func _tell() -> void:
	_restart.visible = DemoSettings.needs_restart(model_at_start)
	if _restart.visible:
		_told.text = "The server still runs with the model of before. Restart it, and the town goes on with the new one."
	elif not NpcServer.model.is_empty():
		_told.text = "The town thinks with %s." % NpcServer.model
	else:
		_told.text = "More models: npc-server setup"


func _on_restart() -> void:
	var was_playing := NpcServer.is_playing()
	var slot := NpcServer.slot
	NpcServer.stop()
	model_at_start = DemoSettings.read("model")
	if was_playing:
		NpcServer.start("", "", slot)
	_tell()
	_told.text = "The server starts with the new model."
	focus_first()
