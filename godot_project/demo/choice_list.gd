class_name DemoChoiceList
extends VBoxContainer
## The lines that a player may say, each with its number. Keys, the mouse and a pad choose one.

## Emitted when the player has chosen a line.
signal chosen(choice: DemoChoice)

const WIDE := 430.0
const MOST := 4

var choices: Array[DemoChoice] = []

var _buttons: Array[Button] = []
## The choice that Enter or the pad takes; -1 for none.
var _at: int = -1


func _ready() -> void:
	custom_minimum_size.x = WIDE
	alignment = BoxContainer.ALIGNMENT_CENTER
	add_theme_constant_override("separation", 6)
	for i: int in MOST:
		var button := Button.new()
		button.focus_mode = Control.FOCUS_NONE  # the field for typing keeps it
		button.alignment = HORIZONTAL_ALIGNMENT_LEFT
		button.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		button.custom_minimum_size.y = 42.0
		DemoTextSize.hold(button, 15)
		button.pressed.connect(choose.bind(i))
		button.mouse_entered.connect(_mark.bind(i))
		_buttons.append(button)
		add_child(button)
	offer(choices)


## Shows other lines, at most [constant MOST].
func offer(others: Array[DemoChoice]) -> void:
	choices = others.slice(0, MOST)
	visible = not choices.is_empty()
	for i: int in _buttons.size():
		_buttons[i].visible = i < choices.size()
		if i < choices.size():
			_buttons[i].text = "%d   %s" % [i + 1, choices[i].shown]
	_mark(-1)


## Chooses a line by its place.
func choose(at: int) -> void:
	if at >= 0 and at < choices.size():
		chosen.emit(choices[at])


## Takes what a key or a pad says while nothing is typed. Returns [code]true[/code] if it concerns the list.
func take(event: InputEvent) -> bool:
	if not is_visible_in_tree():
		return false
	var key := event as InputEventKey
	if key != null and key.pressed and key.keycode >= KEY_1 and key.keycode < KEY_1 + choices.size():
		choose(key.keycode - KEY_1)
	elif event.is_action_pressed("ui_down"):
		_mark((_at + 1) % choices.size())
	elif event.is_action_pressed("ui_up"):
		_mark(posmod(_at - 1, choices.size()) if _at >= 0 else choices.size() - 1)
	elif _at < 0 and event is InputEventJoypadButton and event.is_action_pressed("ui_accept"):
		_mark(0)
	elif _at >= 0 and event.is_action_pressed("ui_accept") and not (key != null and key.keycode == KEY_SPACE):
		choose(_at)
	else:
		return false
	return true


func _mark(at: int) -> void:
	_at = at
	for i: int in _buttons.size():
		_buttons[i].add_theme_stylebox_override("normal", _get_style(i == at))
		_buttons[i].add_theme_stylebox_override("hover", _get_style(true))
		_buttons[i].add_theme_stylebox_override("pressed", _get_style(true))
		_buttons[i].add_theme_color_override("font_color", DemoPalette.ACCENT if i == at else DemoPalette.TEXT)


func _get_style(is_marked: bool) -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = DemoPalette.PANEL if is_marked else Color(DemoPalette.PANEL, 0.45)
	style.border_color = DemoPalette.ACCENT if is_marked else Color(DemoPalette.TEXT_DIM, 0.25)
	style.set_border_width_all(1)
	style.set_corner_radius_all(6)
	style.set_content_margin_all(6.0)
	style.content_margin_left = 12.0
	return style
