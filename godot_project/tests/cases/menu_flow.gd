extends NpcTestCase
## Plays through the menus with keys and a pad, with a real server: a new game, a pause, a save, a load, settings.

## How long a menu may take to appear, in frames.
const FRAMES := 30


func run() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	for key: String in ["volume", "text"] as Array[String]:
		DemoSettings.change(key, DemoSettings.DEFAULTS[key])
	var title: Node = (load(DemoStart.TITLE) as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(title)
	await let_frames_pass(2)
	get_tree().current_scene = title
	check(await until(func() -> bool: return _focused() == "New game"), "The title does not begin at New game: " + _focused())
	await _check_settings()
	await _begin()
	await _check_pause()
	await _save_and_load()
	await _leave()


## A setting changes with a key, is kept in the file, and is applied.
func _check_settings() -> void:
	await _press(KEY_DOWN)
	await _press(KEY_DOWN)
	check(_focused() == "Settings", "Two keys down from New game is " + _focused())
	await _press(KEY_ENTER)
	check(_focused() == "Model", "The settings begin at " + _focused())
	await _press(KEY_DOWN)
	await _press(KEY_RIGHT)
	for i: int in 2:
		await _press(KEY_DOWN)
	await _press(KEY_LEFT)
	DemoSettings.forget()
	result["text"] = DemoSettings.read("text")
	result["volume"] = DemoSettings.read("volume")
	check(DemoTextSize.of(20) == 24, "Texts of 20 are %d." % DemoTextSize.of(20))
	check(AudioServer.get_bus_volume_db(0) < linear_to_db(0.65), "It is not quieter.")
	await _press(KEY_ESCAPE)
	check(_focused() == "Settings", "Esc leads to " + _focused())


func _begin() -> void:
	await _press(KEY_UP)
	await _press(KEY_UP)
	await _press_pad(JOY_BUTTON_A)
	await _press_pad(JOY_BUTTON_DPAD_DOWN)
	await _press_pad(JOY_BUTTON_A)
	check(await until(NpcServer.is_playing), "A new game does not begin.")
	result["slot"] = NpcServer.slot
	await let_frames_pass(FRAMES)


func _check_pause() -> void:
	var before := NpcServer.game_time_s
	await let_frames_pass(FRAMES)
	check(NpcServer.game_time_s > before, "The clock does not run.")
	await _press_pad(JOY_BUTTON_START)
	check(get_tree().paused, "Start does not pause.")
	check(_focused() == "Go on", "The pause begins at " + _focused())
	before = NpcServer.game_time_s
	var sent := NpcServer._log.last_seq
	await let_frames_pass(FRAMES * 3)
	result["ran_while_paused"] = NpcServer.game_time_s - before
	result["sent_while_paused"] = NpcServer._log.last_seq - sent
	await _press(KEY_ESCAPE)
	check(not get_tree().paused, "Esc does not go on.")
	await let_frames_pass(FRAMES)
	check(NpcServer.game_time_s > before, "The clock does not go on.")


func _save_and_load() -> void:
	await _press(KEY_ESCAPE)
	await _press(KEY_DOWN)
	await _press(KEY_ENTER)
	check(await until(func() -> bool: return _focused().begins_with("+")), "Saving begins at " + _focused())
	var saved: Array[String] = []
	NpcServer.saved.connect(func(slot: String) -> void: saved.append(slot))
	await _press(KEY_ENTER)
	check(await until(func() -> bool: return not saved.is_empty()), "It is not saved.")
	result["saved"] = saved
	result["pictures"] = DirAccess.get_files_at(DemoSlots.FOLDER)
	var old := get_tree().current_scene.get_instance_id()
	await _press(KEY_DOWN)
	await _press(KEY_ENTER)
	check(await until(_is_card_focused), "No save is offered: " + _focused())
	var loaded: Array[String] = []
	NpcServer.loaded.connect(func(slot: String) -> void: loaded.append(slot))
	await _press(KEY_ENTER)
	check(await until(func() -> bool: return not loaded.is_empty()), "It is not loaded.")
	result["loaded"] = loaded
	check(await until(func() -> bool: return _get_scene_id() not in [0, old]), "No new scene.")
	check(not get_tree().paused, "It is still paused.")
	check(await until(NpcServer.is_playing), "It is not played after loading.")
	await let_frames_pass(FRAMES)


func _leave() -> void:
	await _press(KEY_ESCAPE)
	for i: int in 4:
		await _press(KEY_DOWN)
	check(_focused() == "Back to the title", "The fifth is " + _focused())
	await _press(KEY_ENTER)
	check(await until(func() -> bool: return _focused() == "Continue"), "The title does not offer to continue: " + _focused())


func _is_card_focused() -> bool:
	return get_viewport().gui_get_focus_owner() is DemoSlotCard


func _get_scene_id() -> int:
	var scene := get_tree().current_scene
	return scene.get_instance_id() if scene != null else 0


func _focused() -> String:
	var focused := get_viewport().gui_get_focus_owner() as Button
	return focused.text if focused != null else ""


func _press(code: Key) -> void:
	for down: bool in [true, false] as Array[bool]:
		var key := InputEventKey.new()
		key.keycode = code
		key.physical_keycode = code
		key.pressed = down
		Input.parse_input_event(key)
		await let_frames_pass(3)


func _press_pad(index: JoyButton) -> void:
	for down: bool in [true, false] as Array[bool]:
		var button := InputEventJoypadButton.new()
		button.button_index = index
		button.pressed = down
		button.pressure = 1.0 if down else 0.0
		Input.parse_input_event(button)
		await let_frames_pass(3)
