@tool
extends "res://addons/npc/editor/form_row.gd"
## An entry of a routine: when, what and where.

const ChoiceField := preload("res://addons/npc/editor/choice_field.gd")
const Known := preload("res://addons/npc/editor/known.gd")
const TIME_WIDTH := 70.0

## When it begins.
var at := LineEdit.new()
## What the person does.
var what := LineEdit.new()
## The address.
var where := ChoiceField.new()

var _known: Known
var _more := Label.new()


func _init(known: Known) -> void:
	super()
	_known = known
	at.placeholder_text = "07:00"
	at.tooltip_text = "When it begins, in hours and minutes. It goes on until the next entry."
	at.custom_minimum_size.x = TIME_WIDTH * EditorInterface.get_editor_scale()
	what.placeholder_text = "eat breakfast"
	what.tooltip_text = "What they do, as a verb phrase. One that begins with an action of the object does it: 'make tea' at a stove."
	where.line.placeholder_text = "a place or an object"
	where.line.tooltip_text = "Where they do it: the address of a place, a room or an object."
	where.set_choices(known.list_short_addresses())
	remove_button.tooltip_text = "Remove this entry from the day."
	for field: Control in [what, where] as Array[Control]:
		field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	var row := HBoxContainer.new()
	for part: Control in [at, what, where, remove_button] as Array[Control]:
		row.add_child(part)
	add_child(row)
	_more.clip_text = true
	_more.hide()
	add_child(_more)
	add_child(messages)
	_watch(at)
	_watch(what)
	where.text_changed.connect(func(_text: String) -> void: changed.emit())


func _notification(notified: int) -> void:
	if notified == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		_more.add_theme_color_override(&"font_color", Color(get_theme_color(&"font_color", &"Editor"), 0.65))


func get_first() -> Control:
	return at


func show_item(item: Dictionary) -> void:
	super(item)
	at.text = item["at"]
	what.text = item["do"]
	where.line.text = _known.shorten(item["where"] as String)
	_more.text = str(item.get("more", ""))
	_more.tooltip_text = "This stays as it is in the file: %s." % _more.text
	_more.mouse_filter = Control.MOUSE_FILTER_PASS
	_more.visible = not _more.text.is_empty()


func to_item() -> Dictionary:
	var told := {"at": at.text.strip_edges(), "do": what.text.strip_edges(), "where": _known.shorten(where.line.text)}
	return super().merged(told)


func is_blank() -> bool:
	return _number < 0 and (at.text + what.text + where.line.text).strip_edges().is_empty()
