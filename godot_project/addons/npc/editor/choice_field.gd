@tool
extends HBoxContainer
## A line that one types or chooses from a list with a search: an id, or an address.

## Emitted when the text was changed by hand or chosen.
signal text_changed(text: String)

const POPUP_SIZE := Vector2i(320, 360)

## What one types.
var line := LineEdit.new()
## Opens the list.
var button := Button.new()
## The list, and the search above it.
var popup := PopupPanel.new()
var search := LineEdit.new()
var list := ItemList.new()

var _choices: PackedStringArray = []
## How each choice is shown.
var _labels: PackedStringArray = []


func _init() -> void:
	line.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	line.text_changed.connect(func(text: String) -> void: text_changed.emit(text))
	add_child(line)
	button.tooltip_text = "Choose from the list."
	button.pressed.connect(_open)
	add_child(button)
	var column := VBoxContainer.new()
	popup.add_child(column)
	search.placeholder_text = "Search"
	search.clear_button_enabled = true
	search.text_changed.connect(func(_text: String) -> void: _fill())
	search.gui_input.connect(_on_search_input)
	column.add_child(search)
	list.size_flags_vertical = Control.SIZE_EXPAND_FILL
	list.item_clicked.connect(func(item: int, _at: Vector2, _button: int) -> void: choose(item))
	list.item_activated.connect(choose)
	column.add_child(list)
	add_child(popup)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		button.icon = get_theme_icon(&"GuiOptionArrow", &"EditorIcons")


## Sets what can be chosen, and how each choice is shown; without labels as it is.
func set_choices(choices: PackedStringArray, labels: PackedStringArray = []) -> void:
	_choices = choices
	_labels = labels if labels.size() == choices.size() else choices
	button.disabled = choices.is_empty()


## Takes what an item of the list shows.
func choose(item: int) -> void:
	popup.hide()
	line.text = list.get_item_metadata(item)
	text_changed.emit(line.text)


func _open() -> void:
	search.text = ""
	_fill()
	var size_px := Vector2i(Vector2(POPUP_SIZE) * EditorInterface.get_editor_scale())
	size_px.x = maxi(size_px.x, int(size.x))
	var below := Vector2i(get_screen_position() + Vector2(0, size.y))
	popup.popup(Rect2i(below, size_px))
	search.grab_focus()


func _fill() -> void:
	list.clear()
	for i: int in _choices.size():
		if search.text.is_empty() or _labels[i].containsn(search.text):
			var item := list.add_item(_labels[i])
			list.set_item_metadata(item, _choices[i])
			list.set_item_tooltip_enabled(item, false)


func _on_search_input(event: InputEvent) -> void:
	if event.is_action_pressed(&"ui_text_submit") and list.item_count > 0:
		choose(maxi(list.get_selected_items()[0] if list.is_anything_selected() else 0, 0))
	elif event.is_action_pressed(&"ui_down"):
		list.grab_focus()
		if list.item_count > 0:
			list.select(0)
