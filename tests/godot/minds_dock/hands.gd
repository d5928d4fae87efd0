@tool
extends EditorPlugin
## Uses an editor as somebody does, with the mouse and the keyboard.

const PATIENCE_MS := 40_000


func _open_scene(path: String) -> void:
	EditorInterface.open_scene_from_path(path)
	EditorInterface.set_main_screen_editor("2D")
	await _until(func() -> bool: return EditorInterface.get_edited_scene_root() != null)
	await _until(func() -> bool: return EditorInterface.get_edited_scene_root().scene_file_path == path)
	await _frames(10)


func _tell(what: String, value: Variant) -> void:
	print("SEEN ", JSON.stringify([what, value]))


## Takes a picture of a window, or only of the tabs in it that contain a control.
func _picture(called: String, window: Window = get_window(), of: Control = null) -> void:
	var folder := OS.get_environment("NPC_TEST_PICTURE")
	if folder.is_empty():
		return
	RenderingServer.force_draw()
	var image := window.get_texture().get_image()
	if of != null:
		image = image.get_region(Rect2i(_tabs_around(of).get_global_rect()))
	image.save_png(folder.path_join(called + ".png"))


func _tabs_around(control: Control) -> Control:
	var inside: Node = control
	while inside != null and not inside is TabContainer:
		inside = inside.get_parent()
	return inside as Control


func _frames(count: int) -> void:
	for i: int in count:
		await get_tree().process_frame


## Waits for something that another process or a timer of the dock does.
func _until(is_so: Callable) -> void:
	var end := Time.get_ticks_msec() + PATIENCE_MS
	while not is_so.call() and Time.get_ticks_msec() < end:
		await get_tree().process_frame
	if not is_so.call():
		print("DRIVER waited in vain for ", is_so)
		get_tree().quit(1)


## Presses a button with the keyboard, and clicks into anything else.
func _click(control: Control) -> void:
	if control is Button:
		control.grab_focus()
		await _press(control, KEY_ENTER)
		return
	await _click_with(MOUSE_BUTTON_LEFT, control)


func _click_with(button: MouseButton, control: Control) -> void:
	var at := control.get_global_rect().get_center()
	for is_pressed: bool in [true, false] as Array[bool]:
		var event := InputEventMouseButton.new()
		event.button_index = button
		event.pressed = is_pressed
		event.position = at
		event.global_position = at
		control.get_viewport().push_input(event, true)
		await get_tree().process_frame


func _type(control: Control, text: String, clicks: bool = true) -> void:
	if clicks:
		await _click(control)
	for letter: String in text:
		for is_pressed: bool in [true, false] as Array[bool]:
			var event := InputEventKey.new()
			event.unicode = letter.unicode_at(0)
			event.pressed = is_pressed
			control.get_viewport().push_input(event, true)
	await get_tree().process_frame


func _press(control: Control, key: Key) -> void:
	for is_pressed: bool in [true, false] as Array[bool]:
		var event := InputEventKey.new()
		event.keycode = key
		event.pressed = is_pressed
		control.get_viewport().push_input(event, true)
	await get_tree().process_frame
