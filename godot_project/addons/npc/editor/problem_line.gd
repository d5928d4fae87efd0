@tool
extends Button
## A mistake of a file. A click opens the file at its line.

var _is_dressing: bool = false


## Makes the line of one of the problems in [code]known.gd[/code].
func _init(problem: Dictionary) -> void:
	var line := problem["line"] as int
	text = ("Line %d: " % line if line > 0 else "") + "%s %s" % [problem["what"], problem["fix"]]
	tooltip_text = ("%s\nClick to open the file%s." % [problem["file"], " at this line" if line > 0 else ""])
	flat = true
	alignment = HORIZONTAL_ALIGNMENT_LEFT
	autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	set_meta(&"problem", problem)


func _notification(what: int) -> void:
	# An override is a change of the theme, too.
	if what != NOTIFICATION_THEME_CHANGED or not is_inside_tree() or _is_dressing:
		return
	_is_dressing = true
	var is_warning: bool = (get_meta(&"problem") as Dictionary)["is_warning"]
	icon = get_theme_icon(&"StatusWarning" if is_warning else &"StatusError", &"EditorIcons")
	add_theme_color_override(&"font_color", get_theme_color(&"warning_color" if is_warning else &"error_color", &"Editor"))
	add_theme_constant_override(&"icon_max_width", int(16 * EditorInterface.get_editor_scale()))
	_is_dressing = false
