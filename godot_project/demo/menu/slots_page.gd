class_name DemoSlotsPage
extends DemoMenuPage
## The list of saves, to load one, to save into one, or to delete one.

## Emitted when the player has chosen a save to load.
signal load_chosen(save: Dictionary)
## Emitted when the player has chosen a slot to save into.
signal save_chosen(slot: String)

## If [code]true[/code], the player saves; else the player loads.
var saves: bool = false

var _list := VBoxContainer.new()
var _told := DemoTheme.label("Looking for saves …", DemoTheme.USUAL, DemoPalette.TEXT_DIM)
var _delete: Button
var _chosen: DemoSlotCard
var _asked: String = ""


func _fill() -> void:
	head.text = "Save the game" if saves else "Load a game"
	_told.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	body.add_child(_told)
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.follow_focus = true
	body.add_child(scroll)
	_list.add_theme_constant_override("separation", 10)
	# Room for the frame around the chosen one.
	var margins := MarginContainer.new()
	margins.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	for side: String in ["left", "top", "right", "bottom"] as Array[String]:
		margins.add_theme_constant_override("margin_" + side, 4)
	margins.add_child(_list)
	scroll.add_child(margins)
	_delete = DemoTheme.button("Delete", _on_delete)
	_delete.visible = not saves
	_delete.disabled = true
	buttons.add_child(_delete)
	refresh()


## Asks the server for the saves again.
func refresh() -> void:
	var request := NpcServer.list_saves()
	var found: bool = await request.done()
	if not is_inside_tree():
		return
	if not found:
		_told.text = request.error.message if request.error != null else "The server does not answer."
		return
	_show(request.response.get("saves", []) as Array)


func _show(found: Array) -> void:
	for old: Node in _list.get_children():
		_list.remove_child(old)
		old.queue_free()
	_chosen = null
	_delete.disabled = true
	_told.text = "" if not found.is_empty() or saves else "There is no save yet."
	_told.visible = not _told.text.is_empty()
	if saves:
		var taken := PackedStringArray()
		for save: Dictionary in found:
			taken.append(str(save["slot"]))
		var town := NpcSettings.get_text(NpcSettings.TOWN).get_base_dir().get_file()
		var fresh := DemoTheme.button("+   Save in a new slot", save_chosen.emit.bind(DemoSlots.get_free_name(town, taken)))
		fresh.custom_minimum_size.y = 56
		_list.add_child(fresh)
	for save: Dictionary in found:
		var card := DemoSlotCard.new()
		card.save = save
		card.pressed.connect(_on_pressed.bind(card))
		card.focus_entered.connect(_on_focused.bind(card))
		_list.add_child(card)
	if is_visible_in_tree():
		focus_first()


func _on_focused(card: DemoSlotCard) -> void:
	_chosen = card
	_asked = ""
	_delete.text = "Delete"
	_delete.disabled = NpcServer.slot == str(card.save["slot"]) and NpcServer.is_playing()


func _on_pressed(card: DemoSlotCard) -> void:
	if not saves:
		load_chosen.emit(card.save)
		return
	var slot := str(card.save["slot"])
	if slot != _asked and slot != NpcServer.slot:
		_asked = slot
		_told.text = "“%s” has a save. Choose it again to replace it." % slot
		_told.visible = true
		return
	save_chosen.emit(slot)


## The second press deletes.
func _on_delete() -> void:
	if _chosen == null:
		return
	var slot := str(_chosen.save["slot"])
	if _asked != slot:
		_asked = slot
		_delete.text = "Delete “%s” for good?" % slot
		return
	var request := NpcServer.delete_save(slot)
	if await request.done():
		DemoSlots.forget(slot)
	_asked = ""
	_delete.text = "Delete"
	refresh()
