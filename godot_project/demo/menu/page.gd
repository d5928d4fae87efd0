class_name DemoMenuPage
extends PanelContainer
## A page of the menus in the middle of the window, with a head line, contents and a row of buttons. Esc and the pad's B
## close it.

## Emitted when the player leaves the page.
signal closed

const AREA := Rect2(190, 40, 900, 640)

var head := DemoTheme.label("", DemoTheme.LARGE, DemoPalette.ACCENT)
var body := VBoxContainer.new()
var buttons := HBoxContainer.new()


func _ready() -> void:
	position = AREA.position
	size = AREA.size
	var rows := VBoxContainer.new()
	rows.add_theme_constant_override("separation", 14)
	add_child(rows)
	rows.add_child(head)
	body.size_flags_vertical = Control.SIZE_EXPAND_FILL
	body.add_theme_constant_override("separation", 12)
	rows.add_child(body)
	buttons.add_theme_constant_override("separation", 12)
	rows.add_child(buttons)
	buttons.add_child(DemoTheme.button("Back", closed.emit))
	_fill()


## Fills the page. A page of its own kind overrides this.
func _fill() -> void:
	pass


func _input(event: InputEvent) -> void:
	if is_visible_in_tree() and event.is_action_pressed("ui_cancel"):
		get_viewport().set_input_as_handled()
		closed.emit()


## Gives the keys to the first control that takes them.
func focus_first() -> void:
	for node: Node in find_children("*", "Control", true, false):
		var control := node as Control
		var button := control as BaseButton
		if control.focus_mode == Control.FOCUS_ALL and control.is_visible_in_tree() and (button == null or not button.disabled):
			control.grab_focus()
			return
