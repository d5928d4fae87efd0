@tool
extends VBoxContainer
## Rows of one kind, to add and to remove.

## Emitted when something was changed by hand.
signal changed

const FormRow := preload("res://addons/npc/editor/form_row.gd")

## Adds a row.
var add_button := Button.new()

var _rows := VBoxContainer.new()
var _make: Callable


## Makes an empty list. [param make] returns a new row.
func _init(make: Callable, add_text: String, add_hint: String) -> void:
	_make = make
	size_flags_horizontal = Control.SIZE_EXPAND_FILL
	add_child(_rows)
	add_button.text = add_text
	add_button.tooltip_text = add_hint
	add_button.size_flags_horizontal = Control.SIZE_SHRINK_BEGIN
	add_button.pressed.connect(_on_added)
	add_child(add_button)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_inside_tree():
		add_button.icon = get_theme_icon(&"Add", &"EditorIcons")


## Shows the items of a list in a persona file.
func show_items(items: Array) -> void:
	for row: FormRow in list():
		_rows.remove_child(row)
		row.queue_free()
	for item: Dictionary in items:
		_add().show_item(item)


## Returns the rows.
func list() -> Array[FormRow]:
	var found: Array[FormRow] = []
	found.assign(_rows.get_children())
	return found


## Returns the rows that are not blank, in the order in which [method to_items] has their items.
func list_filled() -> Array[FormRow]:
	return list().filter(func(row: FormRow) -> bool: return not row.is_blank())


## Returns what the rows hold, as the list of a persona file.
func to_items() -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	found.assign(list_filled().map(func(row: FormRow) -> Dictionary: return row.to_item()))
	return found


## Shows what is wrong with the rows. Returns the problems that belong to none of them.
func take(problems: Array[Dictionary]) -> Array[Dictionary]:
	var rows := list_filled()
	for row: FormRow in list():
		var at := rows.find(row)
		row.messages.take(problems.filter(func(it: Dictionary) -> bool: return at >= 0 and (it["row"] as int) == at))
	return problems.filter(func(it: Dictionary) -> bool: return (it["row"] as int) < 0 or (it["row"] as int) >= rows.size())


func _add() -> FormRow:
	var row := _make.call() as FormRow
	row.changed.connect(func() -> void: changed.emit())
	row.removed.connect(_on_removed.bind(row))
	_rows.add_child(row)
	return row


func _on_added() -> void:
	var row := _add()
	changed.emit()
	row.get_first().grab_focus()
	_show_end.call_deferred(row)


## The row has its place only after the next layout.
func _show_end(row: Control) -> void:
	await get_tree().process_frame
	var around: Node = get_parent()
	while around != null and not around is ScrollContainer:
		around = around.get_parent()
	if around != null and is_instance_valid(row):
		(around as ScrollContainer).ensure_control_visible(row)


func _on_removed(row: FormRow) -> void:
	var at := row.get_index()
	_rows.remove_child(row)
	row.queue_free()
	if _rows.get_child_count() > 0:
		(_rows.get_child(mini(at, _rows.get_child_count() - 1)) as FormRow).remove_button.grab_focus()
	else:
		add_button.grab_focus()
	changed.emit()
