@tool
extends VBoxContainer
## What is wrong with a part of a form, below it.


func _init() -> void:
	add_theme_constant_override(&"separation", 0)
	hide()


## Shows the problems that [code]npc-server editor person[/code] found here; hides itself if there are none.
func take(problems: Array[Dictionary]) -> void:
	for line: Node in get_children():
		remove_child(line)
		line.queue_free()
	for problem: Dictionary in problems:
		var line := Label.new()
		line.text = "%s %s" % [problem["what"], problem["fix"]]
		line.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		line.set_meta(&"is_warning", problem["is_warning"])
		add_child(line)
	visible = not problems.is_empty()
	_dress()


func _notification(what: int) -> void:
	if what == NOTIFICATION_ENTER_TREE:
		_dress()


func _dress() -> void:
	if not is_inside_tree():
		return
	for line: Node in get_children():
		var color := &"warning_color" if line.get_meta(&"is_warning") else &"error_color"
		(line as Label).add_theme_color_override(&"font_color", get_theme_color(color, &"Editor"))
