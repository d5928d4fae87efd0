@tool
extends "res://addons/npc/editor/form_row.gd"
## A value that goes with an offer: a choice of goods, a number, or a text.

const KINDS: PackedStringArray = ["choice", "integer", "text"]
const KIND_LABELS: PackedStringArray = ["Choice", "Number", "Text"]
const NAME_WIDTH := 90.0
## Numbers that a persona file allows.
const MOST := 1000
const LOW := 1
const HIGH := 10

## Its name in the game.
var called := LineEdit.new()
## Of which kind it is.
var kind := OptionButton.new()
## What can be chosen, separated by commas.
var options := LineEdit.new()
## The least and the greatest number.
var low := SpinBox.new()
var high := SpinBox.new()
## The number where the player names none; empty if the person asks.
var usual := LineEdit.new()

var _range := HBoxContainer.new()


func _init() -> void:
	super()
	var row := HBoxContainer.new()
	called.placeholder_text = "item"
	called.tooltip_text = "The name of the value in your game: lower-case letters, digits and '_'."
	called.custom_minimum_size.x = NAME_WIDTH * EditorInterface.get_editor_scale()
	for label: String in KIND_LABELS:
		kind.add_item(label)
	kind.tooltip_text = "What the player gives: one of some words, a number, or any text."
	kind.item_selected.connect(func(_item: int) -> void: _show_kind())
	options.placeholder_text = "rye loaf, honey cake"
	options.tooltip_text = "What can be chosen, separated by commas."
	usual.placeholder_text = "asks"
	usual.tooltip_text = "The number where the player names none. If it is empty, they ask."
	for part: Control in [called, kind, options, _range, remove_button] as Array[Control]:
		row.add_child(part)
	for field: SpinBox in [low, high] as Array[SpinBox]:
		field.min_value = -MOST
		field.max_value = MOST
	low.tooltip_text = "The least number."
	high.tooltip_text = "The greatest number; at most 200 above the least."
	low.prefix = "from"
	high.prefix = "to"
	var label := Label.new()
	label.text = "default"
	for part: Control in [low, high, label, usual] as Array[Control]:
		part.size_flags_horizontal = Control.SIZE_FILL if part == label else Control.SIZE_EXPAND_FILL
		_range.add_child(part)
	for field: Control in [options, _range] as Array[Control]:
		field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	remove_button.tooltip_text = "Remove this value."
	add_child(row)
	add_child(messages)
	low.value = LOW
	high.value = HIGH
	_show_kind()
	for field: Control in [called, kind, options, low, high, usual] as Array[Control]:
		_watch(field)


func get_first() -> Control:
	return called


func show_item(item: Dictionary) -> void:
	super(item)
	called.text = item["name"]
	kind.selected = maxi(KINDS.find(item["type"] as String), 0)
	options.text = ", ".join(PackedStringArray(item["options"] as Array))
	low.set_value_no_signal(item.get("low", LOW) as float)
	high.set_value_no_signal(item.get("high", HIGH) as float)
	usual.text = str(item["default"] as int) if item.has("default") else ""
	_show_kind()


func to_item() -> Dictionary:
	var told: Dictionary = {"name": called.text.strip_edges(), "type": KINDS[kind.selected]}
	match kind.selected:
		0:
			told["options"] = split(options.text, ",")
		1:
			told["low"] = int(low.value)
			told["high"] = int(high.value)
	var number := usual.text.strip_edges()
	told["default"] = null if number.is_empty() or kind.selected != 1 else number.to_int() if number.is_valid_int() else number as Variant
	return super().merged(told)


func is_blank() -> bool:
	return _number < 0 and (called.text + options.text + usual.text).strip_edges().is_empty()


## Returns the parts of a text between separators, without those that are empty.
static func split(text: String, by: String) -> Array[String]:
	var found: Array[String] = []
	for part: String in text.split(by, false):
		if not part.strip_edges().is_empty():
			found.append(part.strip_edges())
	return found


func _show_kind() -> void:
	options.visible = kind.selected == 0
	_range.visible = kind.selected == 1
