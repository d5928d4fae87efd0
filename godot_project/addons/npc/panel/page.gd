@tool
extends VBoxContainer
## Base of the pages of a panel. A page asks only while it is visible.

const Look := preload("res://addons/npc/panel/look.gd")
const Row := preload("res://addons/npc/panel/row.gd")
const RowList := preload("res://addons/npc/panel/row_list.gd")
const View := preload("res://addons/npc/panel/view.gd")

## What the page has in common with the others.
var view: View

## Whose things are shown now; empty before the first.
var _shown: String = ""


func _init(shared: View, called: String) -> void:
	view = shared
	name = called
	size_flags_horizontal = Control.SIZE_EXPAND_FILL
	size_flags_vertical = Control.SIZE_EXPAND_FILL
	add_theme_constant_override(&"separation", 8)
	view.people_updated.connect(look)
	view.person_chosen.connect(look)
	visibility_changed.connect(look)
	_build()


## Brings the page up to date if somebody sees it.
func look() -> void:
	if not is_visible_in_tree():
		return
	var person := view.get_chosen()
	if view.chosen != _shown:
		_shown = view.chosen
		_clear()
	if not person.is_empty():
		_update(person)


## Makes the controls.
func _build() -> void:
	pass


## Empties the page, because somebody else is looked at.
func _clear() -> void:
	pass


## Shows or asks what is new. Called once a second with the MindGlance of the person.
func _update(_person: Dictionary) -> void:
	pass


## Asks about the person who is looked at. Returns the response, or an empty one if it failed or came too late.
func _ask(method: String, fields: Dictionary = {}) -> Dictionary:
	var whose := view.chosen
	var request := view.ask(method, fields.merged({"npc_id": whose}))
	var is_well := await request.done()
	if not is_instance_valid(self) or whose != view.chosen:
		return {}
	if not is_well:
		view.problem = request.error.message
		return {}
	return request.response


func _make_row(id: int, title: String, note: String, colour: Color = Color.TRANSPARENT) -> Row:
	var row := Row.new()
	row.id = id
	row.title = title
	row.note = note
	row.colour = colour
	return row


func _make_list(when_empty: String) -> RowList:
	var list := RowList.new()
	list.empty_text = when_empty
	return list


## Returns a container whose two halves can be dragged.
func _split(first: Control, second: Control, share: float, is_side_by_side: bool = false) -> SplitContainer:
	var split := SplitContainer.new()
	split.vertical = not is_side_by_side
	split.size_flags_vertical = Control.SIZE_EXPAND_FILL
	split.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	for half: Control in [first, second] as Array[Control]:
		half.size_flags_horizontal = Control.SIZE_EXPAND_FILL
		half.size_flags_vertical = Control.SIZE_EXPAND_FILL
	first.size_flags_stretch_ratio = share
	second.size_flags_stretch_ratio = 1.0 - share
	split.add_child(first)
	split.add_child(second)
	add_child(split)
	return split
