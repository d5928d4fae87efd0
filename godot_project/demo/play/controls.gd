class_name DemoControls
## The keys, buttons and sticks of the game. They are made here so that its scene runs in any project.

const LEFT := &"play_left"
const RIGHT := &"play_right"
const UP := &"play_up"
const DOWN := &"play_down"
## Talks to, takes or opens what is near.
const USE := &"play_use"
const JOURNAL := &"play_journal"
const NEWS := &"play_news"
const MENU := &"play_menu"
const WHISPER := &"play_whisper"
const SAVE := &"play_save"
const LOAD := &"play_load"

const KEYS: Dictionary[StringName, Array] = {
	LEFT: [KEY_A, KEY_LEFT],
	RIGHT: [KEY_D, KEY_RIGHT],
	UP: [KEY_W, KEY_UP],
	DOWN: [KEY_S, KEY_DOWN],
	USE: [KEY_E, KEY_SPACE],
	JOURNAL: [KEY_J],
	NEWS: [KEY_N],
	MENU: [KEY_ESCAPE],
	WHISPER: [KEY_F2],
	SAVE: [KEY_F5],
	LOAD: [KEY_F9],
}
const BUTTONS: Dictionary[StringName, JoyButton] = {
	USE: JOY_BUTTON_A,
	JOURNAL: JOY_BUTTON_Y,
	NEWS: JOY_BUTTON_X,
	MENU: JOY_BUTTON_START,
	WHISPER: JOY_BUTTON_RIGHT_SHOULDER,
}
## Each is an axis of the left stick and its sign.
const STICKS: Dictionary[StringName, Array] = {
	LEFT: [JOY_AXIS_LEFT_X, -1.0], RIGHT: [JOY_AXIS_LEFT_X, 1.0], UP: [JOY_AXIS_LEFT_Y, -1.0], DOWN: [JOY_AXIS_LEFT_Y, 1.0]
}
const DEAD := 0.3


## Adds the actions to the input map, unless the project has its own.
static func register() -> void:
	for action: StringName in KEYS:
		if InputMap.has_action(action):
			continue
		InputMap.add_action(action, DEAD)
		for code: Key in KEYS[action]:
			var key := InputEventKey.new()
			key.physical_keycode = code
			InputMap.action_add_event(action, key)
		if BUTTONS.has(action):
			var button := InputEventJoypadButton.new()
			button.button_index = BUTTONS[action]
			InputMap.action_add_event(action, button)
		if STICKS.has(action):
			var stick := InputEventJoypadMotion.new()
			stick.axis = STICKS[action][0]
			stick.axis_value = STICKS[action][1]
			InputMap.action_add_event(action, stick)


## Returns where the player steers to, at most one long.
static func get_steering() -> Vector2:
	return Input.get_vector(LEFT, RIGHT, UP, DOWN)
