extends NpcTestCase
## Takes pictures of the title and its pages: out=FOLDER.


func run() -> void:
	DirAccess.remove_absolute(DemoSettings.FILE)
	get_tree().root.add_child.call_deferred((load(DemoStart.TITLE) as PackedScene).instantiate())
	await let_frames_pass(3)
	var title := get_tree().root.find_children("*", "DemoTitle", false, false)[0] as DemoTitle
	await _take("title")
	title._on_pressed("Settings")
	await _take("settings")
	title._close()
	title._on_pressed("New game")
	await _take("towns")
	title._close()
	var slots := DemoSlotsPage.new()
	title._open(slots)
	_show_saves(slots)
	await _take("slots")
	slots._list.get_child(0).grab_focus()
	title.queue_free()
	DemoDaylight.fixed_hour = -1.0
	await let_frames_pass(2)
	var town := open_town()
	await until(func() -> bool: return town.is_node_ready())
	NpcServer.game_time_s = 1_777_852_800.0 + 18.4 * 3600.0
	await let_frames_pass(4)
	(town.find_children("*", "DemoPause", false, false)[0] as DemoPause).open()
	await _take("pause")
	get_tree().paused = false
	result["done"] = true


func _show_saves(slots: DemoSlotsPage) -> void:
	var saves: Array = []
	DirAccess.make_dir_recursive_absolute(DemoSlots.FOLDER)
	var names := ["Alderwick 2", "Millbrook 1", "Alderwick 1", "before the election"]
	for i: int in names.size():
		if i < 3:
			DemoSlots.take_picture(get_viewport()).save_png(DemoSlots.get_picture_path(names[i]))
		(
			saves
			. append(
				{
					"slot": names[i],
					"town": "Alderwick" if i != 1 else "Millbrook",
					"game_time_s": 1_777_852_800.0 + i * 31_000.0,
					"saved_at_unix_s": 1_777_000_000.0 - i * 90_000.0,
					"problem": "" if i < 3 else "The file is damaged. Delete it, or bring it back from a copy.",
				}
			)
		)
	slots._show(saves)


func _take(called: String) -> void:
	await let_frames_pass(6)
	await get_tree().create_timer(0.6).timeout
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png("%s/%s.png" % [argument("out"), called])
