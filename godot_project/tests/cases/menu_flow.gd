extends MenuCase
## Plays through the menus with keys and a pad, with a real server: a new game, a pause, a save, a load, settings.


func run() -> void:
	for key: String in ["volume", "text"] as Array[String]:
		DemoSettings.change(key, DemoSettings.DEFAULTS[key])
	var title: Node = (load(DemoStart.TITLE) as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(title)
	await let_frames_pass(2)
	get_tree().current_scene = title
	check(await until(func() -> bool: return get_focused() == "New game"), "The title does not begin at New game: " + get_focused())
	await _check_settings()
	await _begin()
	await _check_pause()
	await _save_and_load()
	await _leave()


## A setting changes with a key, is kept in the file, and is applied.
func _check_settings() -> void:
	await press(KEY_DOWN)
	await press(KEY_DOWN)
	check(get_focused() == "Settings", "Two keys down from New game is " + get_focused())
	await press(KEY_ENTER)
	check(get_focused() == "Model", "The settings begin at " + get_focused())
	await press(KEY_DOWN)
	await press(KEY_RIGHT)
	for i: int in 2:
		await press(KEY_DOWN)
	await press(KEY_LEFT)
	DemoSettings.forget()
	result["text"] = DemoSettings.read("text")
	result["volume"] = DemoSettings.read("volume")
	check(DemoTextSize.of(20) == 24, "Texts of 20 are %d." % DemoTextSize.of(20))
	check(AudioServer.get_bus_volume_db(0) < linear_to_db(0.65), "It is not quieter.")
	await press(KEY_ESCAPE)
	check(get_focused() == "Settings", "Esc leads to " + get_focused())


func _begin() -> void:
	await press(KEY_UP)
	await press(KEY_UP)
	await press_pad(JOY_BUTTON_A)
	await press_pad(JOY_BUTTON_DPAD_DOWN)
	await press_pad(JOY_BUTTON_A)
	check(await until(NpcServer.is_playing), "A new game does not begin.")
	result["slot"] = NpcServer.slot
	await let_frames_pass(FRAMES)


func _check_pause() -> void:
	var before := NpcServer.game_time_s
	await let_frames_pass(FRAMES)
	check(NpcServer.game_time_s > before, "The clock does not run.")
	await press_pad(JOY_BUTTON_START)
	check(get_tree().paused, "Start does not pause.")
	check(get_focused() == "Go on", "The pause begins at " + get_focused())
	before = NpcServer.game_time_s
	var sent := NpcServer._log.last_seq
	await let_frames_pass(FRAMES * 3)
	result["ran_while_paused"] = NpcServer.game_time_s - before
	result["sent_while_paused"] = NpcServer._log.last_seq - sent
	await press(KEY_ESCAPE)
	check(not get_tree().paused, "Esc does not go on.")
	await let_frames_pass(FRAMES)
	check(NpcServer.game_time_s > before, "The clock does not go on.")


func _save_and_load() -> void:
	await press(KEY_ESCAPE)
	await press(KEY_DOWN)
	await press(KEY_ENTER)
	check(await until(func() -> bool: return get_focused().begins_with("+")), "Saving begins at " + get_focused())
	var saved: Array[String] = []
	NpcServer.saved.connect(func(slot: String) -> void: saved.append(slot))
	await press(KEY_ENTER)
	check(await until(func() -> bool: return not saved.is_empty()), "It is not saved.")
	result["saved"] = saved
	result["pictures"] = DirAccess.get_files_at(DemoSlots.FOLDER)
	var old := get_tree().current_scene.get_instance_id()
	await press(KEY_DOWN)
	await press(KEY_ENTER)
	check(await until(is_card_focused), "No save is offered: " + get_focused())
	var loaded: Array[String] = []
	NpcServer.loaded.connect(func(slot: String) -> void: loaded.append(slot))
	await press(KEY_ENTER)
	check(await until(func() -> bool: return not loaded.is_empty()), "It is not loaded.")
	result["loaded"] = loaded
	check(await until(func() -> bool: return get_scene_id() not in [0, old]), "No new scene.")
	check(not get_tree().paused, "It is still paused.")
	check(await until(NpcServer.is_playing), "It is not played after loading.")
	await let_frames_pass(FRAMES)


func _leave() -> void:
	await press(KEY_ESCAPE)
	for i: int in 4:
		await press(KEY_DOWN)
	check(get_focused() == "Back to the title", "The fifth is " + get_focused())
	await press(KEY_ENTER)
	check(await until(func() -> bool: return get_focused() == "Continue"), "The title does not offer to continue: " + get_focused())
