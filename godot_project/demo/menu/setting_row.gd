class_name DemoSettingRow
extends Button
## A setting with a few values. A press, or the key to the right, takes the next one; the key to the left the one before.

## Emitted when the player has taken another value.
signal changed(value: Variant)

var title: String = ""
var values: Array = []
var texts := PackedStringArray()
var at: int = 0

var _shown: Label


func _ready() -> void:
	text = title
	alignment = HORIZONTAL_ALIGNMENT_LEFT
	custom_minimum_size = Vector2(0, 50)
	_shown = DemoTheme.label("", DemoTheme.USUAL, DemoPalette.ACCENT)
	_shown.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_shown.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 12)
	_shown.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
	_shown.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	add_child(_shown)
	pressed.connect(_step.bind(1))
	_show()


## Sets the values to choose from, their texts, and the one that is chosen.
func offer(choices: Array, shown: PackedStringArray, chosen: Variant) -> void:
	values = choices
	texts = shown
	at = maxi(values.find(chosen), 0)
	if is_node_ready():
		_show()


func _gui_input(event: InputEvent) -> void:
	for action: String in ["ui_left", "ui_right"] as Array[String]:
		if event.is_action_pressed(action, true):
			_step(1 if action == "ui_right" else -1)
			accept_event()


func _step(by: int) -> void:
	at = posmod(at + by, values.size())
	_show()
	changed.emit(values[at])


func _show() -> void:
	_shown.text = "<   %s   >" % texts[at] if not texts.is_empty() else ""
