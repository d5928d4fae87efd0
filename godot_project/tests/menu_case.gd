class_name MenuCase
extends NpcTestCase
## Base of the cases that steer the demo's menus, with keys and a pad.

## How long a menu may take to appear, in frames.
const FRAMES := 30


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS


func press(code: Key) -> void:
	for down: bool in [true, false] as Array[bool]:
		var key := InputEventKey.new()
		key.keycode = code
		key.physical_keycode = code
		key.pressed = down
		Input.parse_input_event(key)
		await let_frames_pass(3)


func press_pad(index: JoyButton) -> void:
	for down: bool in [true, false] as Array[bool]:
		var button := InputEventJoypadButton.new()
		button.button_index = index
		button.pressed = down
		button.pressure = 1.0 if down else 0.0
		Input.parse_input_event(button)
		await let_frames_pass(3)


## Returns the text of the button that has the keys; empty for none.
func get_focused() -> String:
	var focused := get_viewport().gui_get_focus_owner() as Button
	return focused.text if focused != null else ""


func is_card_focused() -> bool:
	return get_viewport().gui_get_focus_owner() is DemoSlotCard


func get_scene_id() -> int:
	var scene := get_tree().current_scene
	return scene.get_instance_id() if scene != null else 0
