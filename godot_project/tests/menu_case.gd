class_name MenuCase
extends NpcTestCase
## Base of the cases that steer the demo's menus, with keys and a pad.

## How long a menu may take to appear, in frames.
const FRAMES := 30


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS


## A menu takes a frame more than other things to show what a key did.
func press(code: Key, wait: int = 3) -> void:
	await super(code, wait)


func press_pad(which: JoyButton, wait: int = 3) -> void:
	await super(which, wait)


## Returns the text of the button that has the keys; empty for none.
func get_focused() -> String:
	var focused := get_viewport().gui_get_focus_owner() as Button
	return focused.text if focused != null else ""


func is_card_focused() -> bool:
	return get_viewport().gui_get_focus_owner() is DemoSlotCard


func get_scene_id() -> int:
	var scene := get_tree().current_scene
	return scene.get_instance_id() if scene != null else 0
