@tool
extends EditorProperty
## A property in the inspector that is chosen from a list: an id, or an address. Typing stays possible.

const ChoiceField := preload("res://addons/npc/editor/choice_field.gd")
const Known := preload("res://addons/npc/editor/known.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")

## The field.
var field := ChoiceField.new()
## What is wrong with the value, and what to do.
var note := Label.new()

var _known: Known


func _init(known: Known) -> void:
	_known = known
	add_child(field)
	add_focusable(field.line)
	field.text_changed.connect(_on_typed)
	field.line.focus_exited.connect(update_property)
	note.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	note.hide()
	add_child(note)
	set_bottom_editor(note)


func _enter_tree() -> void:
	_known.changed.connect(_show)
	_show()


func _exit_tree() -> void:
	_known.changed.disconnect(_show)


func _update_property() -> void:
	var value := str(get_edited_object().get(get_edited_property()))
	# An address that is typed without the town is completed in the field only when one leaves it.
	if value != (_complete(field.line.text) if field.line.has_focus() else field.line.text):
		field.line.text = value
	_show()


func _on_typed(text: String) -> void:
	emit_changed(get_edited_property(), _complete(text), &"", true)
	_show()


func _show() -> void:
	if get_edited_object() == null or not is_inside_tree():
		return
	var choices := _list_choices()
	field.set_choices(choices, _label(choices))
	var problem := find_problem(_complete(field.line.text), choices)
	note.text = problem
	note.visible = not problem.is_empty()
	var red := get_theme_color(&"error_color", &"Editor")
	note.add_theme_color_override(&"font_color", red)
	if problem.is_empty():
		field.line.remove_theme_color_override(&"font_color")
	else:
		field.line.add_theme_color_override(&"font_color", red)


## Returns what is wrong with a value and what to do; empty if it is known, or if nothing is known.
func find_problem(value: String, choices: PackedStringArray) -> String:
	if value.is_empty() or choices.is_empty() or value in choices:
		return ""
	var similar := Known.find_similar(value, choices)
	var hint := "Did you mean '%s'? " % (similar if _is_person() else _known.shorten(similar)) if not similar.is_empty() else ""
	if _is_person():
		return "No persona file has the id '%s'. %sChoose one from the list, or make the person in the dock Minds." % [value, hint]
	var other := _known.nodes.has(value)
	if other:
		return (
			"'%s' is %s in the town file. Choose another, or use another node."
			% [_known.shorten(value), "an object" if not _is_object() else "a place"]
		)
	return (
		"The town file has no '%s'. %sChoose one from the list, or write the town file in the dock Minds." % [_known.shorten(value), hint]
	)


## An address that is typed without the town's id gets it, because nodes have it.
func _complete(text: String) -> String:
	return text if _is_person() else _known.lengthen(text)


func _is_person() -> bool:
	return get_edited_object() is NpcAgent


func _is_object() -> bool:
	return SceneNodes.is_object(get_edited_object() as Node)


func _list_choices() -> PackedStringArray:
	return _known.list_ids() if _is_person() else _known.list_addresses(_is_object())


func _label(choices: PackedStringArray) -> PackedStringArray:
	var labels := PackedStringArray()
	for choice: String in choices:
		var called: String = _known.find_person(choice)["name"] if _is_person() else _known.nodes[choice]["name"]
		labels.append("%s  (%s)" % [called, choice] if _is_person() else _known.shorten(choice))
	return labels
