@tool
extends VBoxContainer
## Is shown in the dock where there is no npc-server to ask, and says how to get one.

## Emitted when the server is to be looked for again.
signal looked
## Emitted when the server is to be got.
signal wanted

var _words := Label.new()


func _init() -> void:
	_words.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	add_child(_words)
	_add_remedies()
	add_child(HSeparator.new())
	hide()


## Shows or hides the panel.
func update(is_missing: bool) -> void:
	visible = is_missing
	if is_missing:
		_words.text = "Files are not checked: there is no npc-server."
		_words.tooltip_text = NpcProgram.find().get_error().message
		_words.mouse_filter = Control.MOUSE_FILTER_STOP
		_words.add_theme_color_override(&"font_color", get_theme_color(&"warning_color", &"Editor"))


## Adds what one can do about it.
func _add_remedies() -> void:
	var get_it := Button.new()
	get_it.text = "Get npc-server..."
	get_it.tooltip_text = "With pip, from a folder, or from the address of a bundle."
	get_it.pressed.connect(func() -> void: wanted.emit())
	add_child(get_it)
	var look := Button.new()
	look.text = "Look Again"
	look.tooltip_text = ("Install npc-server, or name its program in the project setting %s. Then press this." % NpcSettings.COMMAND)
	look.pressed.connect(func() -> void: looked.emit())
	add_child(look)
