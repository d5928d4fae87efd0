@tool
extends "res://addons/probe/plugin.gd"
## Uses the dock "Minds" with the mouse alone: all buttons, lists and dialogs get the events that a pointer over their window
## makes. Only words are typed, and a typed path is sent with Enter.


func _run_mouse() -> void:
	await _until(_is_read)
	await _frames(60)
	await _make()
	await _copy()
	for file: String in OS.get_environment("NPC_TEST_CARDS").split(":"):
		await _import_card(file)
	await _add_memory()
	await _edit_memory()
	await _delete_memory()


func _make() -> void:
	var form := _people().get("form") as ConfirmationDialog
	var fields := form.get("fields") as Control
	await _open(_people().get("new_button") as Control, func() -> bool: return form.visible)
	_tell("form open", [form.title, form.get_ok_button().disabled])
	await _mouse(fields.get("full_name") as Control)
	await _type(fields.get("full_name") as Control, "Nora Pike", false)
	var home := fields.get("home") as Control
	await _open(home.get("button") as Control, func() -> bool: return (home.get("popup") as Window).visible)
	await _frames(5)
	var list := home.get("list") as ItemList
	await _mouse_at(list, list.get_item_rect(1).get_center() + list.get_theme_stylebox(&"panel").get_offset())
	_tell("home", [list.get_item_metadata(1), (home.get("line") as LineEdit).text, (home.get("popup") as Window).visible])
	await _mouse(form.get_ok_button())
	await _until(func() -> bool: return _row_of("nora_pike") != null and _is_read())
	_tell("made", _read(PEOPLE + "nora_pike.yaml"))


func _copy() -> void:
	var form := _people().get("form") as ConfirmationDialog
	var fields := form.get("fields") as Control
	await _open(_row_of("tobin_hale").get("copy_button") as Control, func() -> bool: return form.visible)
	await _mouse(fields.get("full_name") as Control)
	await _type(fields.get("full_name") as Control, "Odo Hale", false)
	await _mouse(form.get_ok_button())
	await _until(func() -> bool: return _row_of("odo_hale") != null and _is_read())
	_tell("copied", _read(PEOPLE + "odo_hale.yaml"))
	# A dialog that is closed changes nothing.
	await _open(_row_of("tobin_hale").get("copy_button") as Control, func() -> bool: return form.visible)
	await _mouse(form.get_cancel_button())
	_tell("cancelled", form.visible)


func _import_card(file: String) -> void:
	await _open(
		_people().get("import_button") as Control,
		func() -> bool: return _people().get("_files") != null and (_people().get("_files") as Window).visible
	)
	var files := _people().get("_files") as ConfirmationDialog
	var line := files.call("get_line_edit") as LineEdit
	# The dialog moves the keys to its list once it has read the folder.
	for attempt: int in 5:
		await _frames(20)
		await _mouse(line)
		line.select_all()
		await _type(line, file, false)
		if line.text == file:
			break
	_tell("typed " + file.get_file(), line.text == file)
	# Its button opens what is chosen in the list; a path that was typed is sent with Enter.
	await _press(line, KEY_ENTER)
	await _until(func() -> bool: return not files.visible)
	await _frames(3)
	await _until(func() -> bool: return _is_read() and not _message(_people()).begins_with("Importing"))
	_tell("import " + file.get_file(), [_message(_people()), _list_rows().map(func(row: Array) -> String: return row[0])])


func _add_memory() -> void:
	var page := _memories()
	var bar := (_tabs_around(page) as TabContainer).get_tab_bar()
	var tab := (_tabs_around(page) as TabContainer).get_tab_idx_from_control(page)
	bar.ensure_tab_visible(tab)
	await _frames(5)
	await _mouse_at(bar, bar.get_tab_rect(tab).get_center())
	await _until(_has_memories)
	_tell("first", [(page.get("people") as OptionButton).text, (page.get("edit_button") as Button).disabled])
	var dialog := page.get("dialog") as ConfirmationDialog
	await _open(page.get("add_button") as Control, func() -> bool: return dialog.visible)
	_tell("empty memory", dialog.get_ok_button().disabled)
	await _mouse(dialog.get("text") as Control)
	await _type(dialog.get("text") as Control, "The old king is dead.", false)
	await _mouse(dialog.get_ok_button())
	await _until(func() -> bool: return _item_of("The old king is dead.") != null)
	_tell("added", _message(page))


func _edit_memory() -> void:
	var dialog := _memories().get("dialog") as ConfirmationDialog
	await _pick("The old king is dead.")
	await _open(_memories().get("edit_button") as Control, func() -> bool: return dialog.visible)
	_tell("edited at first", [dialog.title, (dialog.get("text") as TextEdit).text])
	(dialog.get("text") as TextEdit).select_all()
	await _type(dialog.get("text") as Control, "The old king is ill.", false)
	await _mouse(dialog.get_ok_button())
	await _until(func() -> bool: return _item_of("The old king is ill.") != null)
	_tell("edited", [_message(_memories()), _item_of("The old king is dead.") == null])
	_picture("dock_memories", get_window(), _dock)


func _delete_memory() -> void:
	var victim := ((_memories().get("tree") as Tree).get_root().get_child(1).get_metadata(0) as Dictionary)["text"] as String
	await _pick(victim)
	var question := _memories().get("question") as ConfirmationDialog
	await _open(_memories().get("delete_button") as Control, func() -> bool: return question.visible)
	_tell("question", question.dialog_text)
	await _mouse(question.get_ok_button())
	await _until(func() -> bool: return _message(_memories()).begins_with("Deleted") and _has_memories())
	_tell("deleted", [victim, _message(_memories()), _item_of(victim) == null])


func _pick(text: String) -> void:
	var tree := _memories().get("tree") as Tree
	tree.scroll_to_item(_item_of(text))
	await _frames(3)
	await _mouse_at(tree, tree.get_item_area_rect(_item_of(text), 1).get_center() - tree.get_scroll())


func _memories() -> Control:
	return _dock.get("memories")


func _has_memories() -> bool:
	var top := (_memories().get("tree") as Tree).get_root()
	return top != null and top.get_child_count() > 0 and _is_read() and _message(_memories()) != "Reading…"


func _item_of(text: String) -> TreeItem:
	var top := (_memories().get("tree") as Tree).get_root()
	for item: TreeItem in top.get_children() if top != null and _is_read() else [] as Array[TreeItem]:
		if item.get_text(1) == text:
			return item
	return null


## Clicks what opens a window. An editor that is still busy may miss the first click, and then one clicks again.
func _open(control: Control, is_open: Callable) -> void:
	for attempt: int in 3:
		await _mouse(control)
		var end := Time.get_ticks_msec() + 4_000
		while not is_open.call() and Time.get_ticks_msec() < end:
			await get_tree().process_frame
		if is_open.call():
			return
	await _until(is_open)


func _mouse(control: Control) -> void:
	var around: Node = control.get_parent()
	while around != null and not around is ScrollContainer:
		around = around.get_parent()
	if around != null:
		(around as ScrollContainer).ensure_control_visible(control)
		await _frames(3)
	await _mouse_at(control, control.size / 2.0)


## Moves the pointer over a point of a control, and clicks.
func _mouse_at(control: Control, at: Vector2) -> void:
	var window := control.get_window()
	var point := control.get_global_transform_with_canvas() * at
	if window.is_embedded():
		point += Vector2(window.position)
		window = get_tree().root
	var motion := InputEventMouseMotion.new()
	_send(motion, window, point)
	await _frames(2)
	for is_pressed: bool in [true, false] as Array[bool]:
		var event := InputEventMouseButton.new()
		event.button_index = MOUSE_BUTTON_LEFT
		event.button_mask = MOUSE_BUTTON_MASK_LEFT if is_pressed else 0 as MouseButtonMask
		event.pressed = is_pressed
		_send(event, window, point)
		await _frames(2)


func _send(event: InputEventMouse, window: Window, point: Vector2) -> void:
	event.window_id = window.get_window_id()
	event.position = point
	event.global_position = point
	Input.parse_input_event(event)
