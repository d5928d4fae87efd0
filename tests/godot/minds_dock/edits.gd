@tool
extends "res://addons/probe/by_mouse.gd"
## Edits a person's day and offers in the form, makes somebody with both, and deletes a person and a place.


func _run_edits() -> void:
	await _until(_is_read)
	await _frames(60)
	await _edit_day()
	await _edit_offers()
	await _make_shopkeeper()
	await _delete_person()
	await _open_scene("res://scene.tscn")
	await _delete_place()


func _form() -> ConfirmationDialog:
	return _people().get("form") as ConfirmationDialog


func _page(called: String) -> Control:
	return _form().get(called) as Control


func _turn_to(called: String) -> void:
	var tabs := _form().get("tabs") as TabContainer
	await _mouse_at(tabs.get_tab_bar(), tabs.get_tab_bar().get_tab_rect(tabs.get_tab_idx_from_control(_page(called))).get_center())
	await _frames(5)


func _rows(page: String) -> Array:
	return (_page(page).get("rows") as Node).call("list") as Array


func _messages(of: Object) -> Array:
	return (of.get("messages") as Node).get_children().map(func(it: Label) -> String: return it.text)


func _open_form(id: String) -> void:
	var button := _row_of(id).get("edit_button") as Control
	await _open(button, func() -> bool: return _form().visible)
	await _frames(5)


func _retype(field: LineEdit, text: String) -> void:
	await _mouse(field)
	field.select_all()
	await _type(field, text, false)


## Saves the form, and waits until it is closed.
func _save() -> void:
	await _mouse(_form().get_ok_button())
	await _until(func() -> bool: return not _form().visible)
	await _frames(3)
	await _until(_is_read)


func _edit_day() -> void:
	var file := PEOPLE + "mara_voss.yaml"
	var before := _read(file)
	await _open_form("mara_voss")
	_tell("form of mara", [_form().title, (_page("fields").get("age") as SpinBox).value, (_page("fields").get("id") as LineEdit).editable])
	_picture("form_person", _form())
	await _turn_to("routine")
	var rows := _rows("routine")
	_tell("day of mara", [rows.size(), (rows[9].get("at") as LineEdit).text, (rows[9].get("_more") as Label).text])
	await _retype(rows[3].get("at") as LineEdit, "25:00")
	await _retype((rows[2].get("where") as Node).get("line") as LineEdit, "cafe:kitchen:ofen")
	await _until(func() -> bool: return not _messages(rows[3]).is_empty() and not _messages(rows[2]).is_empty())
	_tell("mistakes of the day", [_messages(rows[3]), _messages(rows[2]), (_form().get("problem") as Label).text])
	_tell("ok with mistakes", _form().get_ok_button().disabled)
	await _frames(5)
	_picture("form_routine", _form())
	await _retype(rows[3].get("at") as LineEdit, "08:05")
	await _retype((rows[2].get("where") as Node).get("line") as LineEdit, "millbrook:cafe:kitchen:oven")
	await _until(func() -> bool: return (_form().get("problem") as Label).text.is_empty() and _messages(rows[2]).is_empty())
	await _mouse(rows[15].get("remove_button") as Control)
	await _mouse((_page("routine").get("rows") as Node).get("add_button") as Control)
	await _frames(5)
	var added: Object = _rows("routine").back()
	_tell("focus of the new entry", _form().gui_get_focus_owner() == added.get("at"))
	var words: PackedStringArray = ["20:30", "count the spoons", "mara_house:kitchen:table"]
	for i: int in words.size():
		# From one field to the next with Tab.
		await _type(_form().gui_get_focus_owner(), words[i], false)
		if i < 2:
			await _press(_form().gui_get_focus_owner(), KEY_TAB)
	_tell("tab order", [(added.get("what") as LineEdit).text, ((added.get("where") as Node).get("line") as LineEdit).text])
	await _save()
	_tell("day saved", [before, _read(file), _problems_of("mara_voss")])
	_undo_of_editor().undo()
	_tell("day undone", _read(file) == before)
	_undo_of_editor().redo()
	_dock.call("look_again")
	await _until(_is_read)


func _edit_offers() -> void:
	await _open_form("mara_voss")
	await _turn_to("offers")
	await _mouse((_page("offers").get("rows") as Node).get("add_button") as Control)
	await _frames(5)
	var offer: Object = _rows("offers")[0]
	await _type(offer.get("called") as Control, "Sell Bread", false)
	await _mouse(offer.get("description") as Control)
	await _type(offer.get("description") as Control, "sell bread; a loaf costs 3 crowns", false)
	await _fill_values(offer)
	await _mouse(offer.get("words") as Control)
	await _type(offer.get("words") as Control, "bread, for sale", false)
	await _mouse(offer.get("says") as Control)
	await _type(offer.get("says") as Control, "There you are, love.", false)
	await _press(offer.get("says") as Control, KEY_TAB)
	_tell("tab leaves the lines", _form().gui_get_focus_owner() == offer.get("asks"))
	await _until(func() -> bool: return not _messages(offer).is_empty())
	_tell("mistakes of the offer", _messages(offer))
	await _frames(5)
	_picture("form_offers", _form())
	await _retype(offer.get("called") as LineEdit, "sell_bread")
	await _save()
	_tell("offers saved", [_read(PEOPLE + "mara_voss.yaml"), _problems_of("mara_voss")])


func _fill_values(offer: Object) -> void:
	var values := offer.get("values") as Node
	for i: int in 2:
		await _mouse(values.get("add_button") as Control)
		await _frames(5)
		var value: Object = (values.call("list") as Array)[i]
		await _type(value.get("called") as Control, ["item", "count"][i] as String, false)
		if i == 0:
			await _mouse(value.get("options") as Control)
			await _type(value.get("options") as Control, "rye loaf, honey cake", false)
		else:
			(value.get("kind") as OptionButton).select(1)
			(value.get("kind") as OptionButton).item_selected.emit(1)
			(value.get("high") as SpinBox).value = 6


## Somebody new with a shop: a file, a day and an offer out of one form.
func _make_shopkeeper() -> void:
	await _open(_people().get("new_button") as Control, func() -> bool: return _form().visible)
	await _mouse(_page("fields").get("full_name") as Control)
	await _type(_page("fields").get("full_name") as Control, "Nora Pike", false)
	await _mouse((_page("fields").get("home") as Node).get("line") as Control)
	await _type((_page("fields").get("home") as Node).get("line") as Control, "tobin_house:bedroom", false)
	await _turn_to("routine")
	await _mouse((_page("routine").get("rows") as Node).get("add_button") as Control)
	var row: Object = _rows("routine")[0]
	for part: Array in (
		[[row.get("at"), "08:00"], [row.get("what"), "sell buttons"], [(row.get("where") as Node).get("line"), "lane:square"]]
		as Array[Array]
	):
		await _mouse(part[0] as Control)
		await _type(part[0] as Control, part[1] as String, false)
	await _save()
	_tell("shopkeeper", [_read(PEOPLE + "nora_pike.yaml"), FileAccess.file_exists(PEOPLE + "nora_pike.yaml")])


func _delete_person() -> void:
	await _until(func() -> bool: return _row_of("tobin_hale") != null and _is_read())
	var file := PEOPLE + "tobin_hale.yaml"
	var before := _read(file)
	var question := _people().get("question") as ConfirmationDialog
	await _open(_row_of("tobin_hale").get("delete_button") as Control, func() -> bool: return question.visible)
	await _frames(5)
	_picture("delete_person", question)
	_tell("question", question.dialog_text)
	await _mouse(question.get_cancel_button())
	_tell("kept", FileAccess.file_exists(file))
	await _open(_row_of("tobin_hale").get("delete_button") as Control, func() -> bool: return question.visible)
	await _mouse(question.get_ok_button())
	await _until(func() -> bool: return _row_of("tobin_hale") == null)
	_tell("deleted", [FileAccess.file_exists(file), _message(_people())])
	_undo_of_editor().undo()
	_tell("back", _read(file) == before)
	_dock.call("look_again")
	await _until(func() -> bool: return _row_of("tobin_hale") != null and _is_read())


func _delete_place() -> void:
	_dock.call("show_page", _town())
	await _until(func() -> bool: return (_town().get("tree") as Tree).get_root() != null)
	await _frames(40)
	var tree := _town().get("tree") as Tree
	var remover := _town().get("remover") as ConfirmationDialog
	var before := _read("res://people/town.yaml")
	_tell("delete without a choice", (_town().get("delete_button") as Button).disabled)
	var item := tree.get_root().get_child(0)
	while str(item.get_metadata(0)) != "millbrook:cafe":
		item = item.get_next_visible()
	tree.scroll_to_item(item)
	await _frames(3)
	await _mouse_at(tree, tree.get_item_area_rect(item, 0).get_center() - tree.get_scroll())
	_picture("dock_town_delete", get_window(), _dock)
	await _open(_town().get("delete_button") as Control, func() -> bool: return remover.visible)
	await _frames(5)
	_picture("delete_place", remover)
	_tell("place question", [remover.call("get_question"), (remover.get("with_nodes") as CheckBox).text])
	await _mouse(remover.get_ok_button())
	await _until(func() -> bool: return not _read("res://people/town.yaml").contains("id: cafe"))
	var root := EditorInterface.get_edited_scene_root()
	_tell("place deleted", [root.get_node_or_null("Cafe") == null, root.get_node_or_null("Shpo") != null])
	_undo().undo()
	_tell("place back", [_read("res://people/town.yaml") == before, root.get_node("Cafe").owner == root, root.get_node("Cafe").get_index()])


func _undo_of_editor() -> UndoRedo:
	return EditorInterface.get_editor_undo_redo().get_history_undo_redo(EditorUndoRedoManager.GLOBAL_HISTORY)
