extends MenuCase
## Saves with their pictures, and another town, from the pause menu of a game that is drawn; with a real server.

const FIRST := "Millbrook 2"
const SECOND := "Millbrook 3"


func run() -> void:
	Engine.max_fps = 30
	var blank := Node.new()
	get_tree().root.add_child.call_deferred(blank)
	await let_frames_pass(2)
	get_tree().current_scene = blank
	await _open("millbrook", "Millbrook 1", true)
	await _save()
	await _break_pictures()
	await _load(FIRST)
	await _open("alderwick", "Alderwick 1", false)
	var game := get_tree().current_scene as DemoGame
	check(await until(func() -> bool: return game.is_started and not game.rest.is_resting()), "The game never began.")
	await _check_clock()
	await _switch_town()


func _open(town: String, slot: String, is_watched: bool) -> void:
	DemoStart.begin(get_tree(), town, slot, is_watched)
	check(await until(func() -> bool: return NpcServer.is_playing() and NpcServer.slot == slot), "%s is not played." % slot)
	check(await until(func() -> bool: return _get_town() != null), "%s is not shown." % town)
	await let_frames_pass(FRAMES)


## Two saves in one pause. The game's clock stands still between them, also that of the server.
func _save() -> void:
	var town := DemoSlots.take_picture(get_viewport())
	await press(KEY_ESCAPE)
	await let_frames_pass(3)
	var menu := DemoSlots.take_picture(get_viewport())
	for slot: String in [FIRST, SECOND] as Array[String]:
		var saved: Array[String] = []
		var note := func(in_slot: String) -> void: saved.append(in_slot)
		NpcServer.saved.connect(note)
		if slot == FIRST:
			await press(KEY_DOWN)
		check(get_focused() == "Save", "The keys are at " + get_focused())
		await press(KEY_ENTER)
		check(await until(func() -> bool: return get_focused().begins_with("+")), "Saving begins at " + get_focused())
		await press(KEY_ENTER)
		check(await until(func() -> bool: return saved == [slot]), "It is saved as %s." % str(saved))
		NpcServer.saved.disconnect(note)
		await get_tree().create_timer(1.5).timeout
	var picture := Image.load_from_file(DemoSlots.get_picture_path(FIRST))
	result["size"] = [picture.get_width(), picture.get_height()]
	result["like_town"] = _get_difference(picture, town)
	result["like_menu"] = _get_difference(picture, menu)
	var told := NpcServer.list_saves()
	await told.done()
	for save: Dictionary in told.response["saves"] as Array:
		result["at " + str(save["slot"])] = save["game_time_s"]


## How much two pictures differ, from 0 to 1.
func _get_difference(one: Image, other: Image) -> float:
	return (one.compute_image_metrics(other, true)["mean"] as float) / 255.0


func _break_pictures() -> void:
	result["whole"] = await _list_pictures()
	var bytes := FileAccess.get_file_as_bytes(DemoSlots.get_picture_path(SECOND))
	_write(SECOND, bytes.slice(0, bytes.size() / 3))
	_write(FIRST, "no picture at all".to_utf8_buffer())
	result["broken"] = await _list_pictures()
	await press(KEY_ESCAPE)


func _write(slot: String, bytes: PackedByteArray) -> void:
	var file := FileAccess.open(DemoSlots.get_picture_path(slot), FileAccess.WRITE)
	file.store_buffer(bytes)
	file.close()


## Opens the list from the pause menu, and returns what each save shows: the width of its picture, and its words.
func _list_pictures() -> Dictionary:
	await _open_load()
	var found := {}
	for card: DemoSlotCard in _list_cards():
		var picture := card.find_children("*", "TextureRect", true, false)[0] as TextureRect
		var words := card.find_children("*", "Label", true, false).map(func(label: Label) -> String: return label.text)
		var wide := picture.texture.get_width() if picture.texture != null else 0
		found[str(card.save["slot"])] = [wide, "no picture" in words, card.disabled]
	await press(KEY_ESCAPE)
	return found


func _open_load() -> void:
	var pause := get_tree().root.find_children("*", "DemoPause", true, false)[0] as DemoPause
	if not pause.visible:
		await press(KEY_ESCAPE)
	while get_focused() != "Load" and problems.is_empty():
		await press(KEY_DOWN)
	await press(KEY_ENTER)
	check(await until(is_card_focused), "No save is offered: " + get_focused())


func _list_cards() -> Array[Node]:
	return get_tree().root.find_children("*", "DemoSlotCard", true, false)


## Chooses a save with the keys.
func _load(slot: String) -> void:
	await _open_load()
	for i: int in _list_cards().size():
		var card := get_viewport().gui_get_focus_owner() as DemoSlotCard
		if card != null and str(card.save["slot"]) == slot:
			break
		await press(KEY_DOWN)
	var old := get_scene_id()
	await press(KEY_ENTER)
	check(await until(func() -> bool: return get_scene_id() not in [0, old]), "No new scene.")
	check(await until(NpcServer.is_playing), "%s is not played." % slot)
	check(not get_tree().paused, "It is still paused.")
	await let_frames_pass(FRAMES)


## In the game that one plays, too, everything stands still.
func _check_clock() -> void:
	var before := NpcServer.game_time_s
	check(await until(func() -> bool: return NpcServer.game_time_s > before), "The clock does not run.")
	await press(KEY_ESCAPE)
	check(get_tree().paused, "Esc does not pause the game.")
	before = NpcServer.game_time_s
	await get_tree().create_timer(1.5).timeout
	result["ran_while_paused"] = NpcServer.game_time_s - before
	await press(KEY_ESCAPE)
	check(await until(func() -> bool: return NpcServer.game_time_s > before), "The clock does not go on.")


## A save of another town is loaded from the pause menu.
func _switch_town() -> void:
	result["before"] = [_get_town().plan.name, NpcServer.slot]
	await _load(SECOND)
	check(await until(func() -> bool: return _get_town() != null), "No town is shown.")
	result["after"] = [_get_town().plan.name, NpcServer.slot, _get_town().people.size()]
	result["at"] = NpcServer.game_time_s


func _get_town() -> DemoTown:
	var found := get_tree().root.find_children("*", "DemoTown", true, false)
	found = found.filter(func(it: DemoTown) -> bool: return it.is_node_ready() and not it.is_queued_for_deletion() and it.labels != null)
	return found[0] as DemoTown if not found.is_empty() else null
