@tool
extends "res://addons/probe/dock_hands.gd"
## A first person in a project without a town, and bodies for people in the open scene.


## From an empty project to a person who has a body in a scene.
func _run_empty() -> void:
	await _until(_is_read)
	_tell("slot", _tabs_around(_dock) != _tabs_around(EditorInterface.get_inspector()))
	_dock.call("show_page", _people())
	var form := _people().get("form") as ConfirmationDialog
	var fields := form.get("fields") as Control
	await _click(_people().get("new_button") as Control)
	(fields.get("age") as SpinBox).value = 71
	await _type(fields.get("full_name") as Control, "Ada Finch")
	await _type(fields.get("currently") as Control, "Ada has heard that the mill is for sale.")
	await _type(fields.get("style") as Control, "Few words.")
	_tell("form", [(form.get("problem") as Label).text, form.get_ok_button().disabled, (fields.get("note") as Label).visible])
	_picture("form_without_town", form)
	await _click(form.get_ok_button())
	await _until(func() -> bool: return _row_of("ada_finch") != null and _is_read())
	_tell("made", [_read(PEOPLE + "ada_finch.yaml"), _problems_of("ada_finch")])
	await _click(_people().get("new_button") as Control)
	_tell("age of the next", (fields.get("age") as SpinBox).value)
	form.hide()
	await _open_scene("res://main.tscn")
	await _add_with_button("ada_finch")
	EditorInterface.save_scene()
	await _frames(10)


## Bodies in scenes of 2D and 3D, with the button and with the context menu.
func _add_bodies() -> void:
	_dock.call("show_page", _people())
	await _open_scene("res://body_3d.tscn")
	await _add_with_menu("tobin_hale")
	await _open_scene("res://scene.tscn")
	await _add_with_button("ines_calder")


## Somebody whose bed is in the scene stands beside it.
func _add_at_home(scene: String, kind: String) -> void:
	_dock.call("show_page", _people())
	await _open_scene(scene)
	await _frames(40)
	await _click(_row_of("mara_voss").get("scene_button") as Control)
	var root := EditorInterface.get_edited_scene_root()
	var bed := root.find_child("MaraHouse", true, false).find_child("Bed", true, false)
	var spot: Variant = bed.call("get_spot")
	_tell("at home in " + kind, [str(spot), str(root.get_node("MaraVoss").get("global_position"))])
	_undo().undo()


func _add_with_button(id: String) -> void:
	await _frames(40)
	await _until(_lacks_body.bind(id, true))
	var button := _row_of(id).get("scene_button") as Button
	_tell("lacks " + id, [button.visible, button.tooltip_text])
	await _click(button)
	await _tell_of_body(id)


func _add_with_menu(id: String) -> void:
	await _frames(40)
	await _until(_is_read)
	var row := _row_of(id) as Control
	(row.get_parent().get_parent() as ScrollContainer).ensure_control_visible(row)
	await _frames(3)
	await _click_with(MOUSE_BUTTON_RIGHT, row.get("_called") as Control)
	# Without a window manager the menu closes when another window of the editor comes up, so no key is sent to it.
	var menu := row.get("menu") as PopupMenu
	menu.hide()
	_tell("menu", menu.get_item_text(0))
	menu.index_pressed.emit(0)
	await _tell_of_body(id)


func _tell_of_body(id: String) -> void:
	await _frames(40)
	var called := id.to_pascal_case()
	await _until(_lacks_body.bind(id, false))
	_tell("body of " + id, _describe_body(called))
	_tell("button of " + id, (_row_of(id).get("scene_button") as Button).visible)
	_undo().undo()
	await _until(_lacks_body.bind(id, true))
	_tell("undone " + id, [_describe_body(called), (_row_of(id).get("scene_button") as Button).visible])
	_undo().redo()
	_tell("redone " + id, _describe_body(called))
	await _frames(5)


## Whether the row of somebody offers a body, once the dock has looked at the scene again.
func _lacks_body(id: String, lacks: bool) -> bool:
	var row := _row_of(id)
	return row != null and (row.get("scene_button") as Button).visible == lacks


func _describe_body(called: String) -> Array:
	var root := EditorInterface.get_edited_scene_root()
	var body := root.get_node_or_null(called)
	if body == null:
		return []
	var found: Array = [body.get_class(), body.owner == root, str(body.get("position"))]
	for child: Node in body.get_children():
		found.append([child.get_class(), child.owner == root])
		if child is NpcAgent:
			found.append((child as NpcAgent).persona_id)
		else:
			found.append((child.get("shape") as Resource).get_class())
	return found
