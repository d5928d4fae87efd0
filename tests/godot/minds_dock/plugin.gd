@tool
extends "res://addons/probe/first_person.gd"
## Uses the dock "Minds" as a developer does, with the mouse and the keyboard, and prints what it sees.

const CALM_FRAMES := 20


func _enter_tree() -> void:
	_drive.call_deferred()


func _drive() -> void:
	get_window().size = Vector2i(1600, 900)
	var calm := 0
	while calm < CALM_FRAMES:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	await _find_dock()
	await call("_run_" + OS.get_environment("NPC_TEST_RUN"))
	print("DRIVER ended")
	get_tree().quit()


## With a server: people, the town, the inspector, and the end.
func _run_all() -> void:
	await _until(_is_read)
	_tell("rows", _list_rows())
	await _break_and_mend()
	await _make_person()
	await _import()
	await _add_bodies()
	for kind: String in ["2D", "3D"] as Array[String]:
		await _make_town(kind, Node2D.new() if kind == "2D" else Node3D.new() as Node)
		await _add_at_home("res://b_%s.tscn" % kind, kind)
	await _choose_in_inspector()
	await _disable()


## Without a server: what the files' names tell.
func _run_alone() -> void:
	await _until(func() -> bool: return _panel().visible)
	_tell("rows", _list_rows())
	_tell("said", (_panel().get_child(0) as Label).text)
	_people().call("import_file", ProjectSettings.globalize_path("res://card.png"))
	_tell("import", _message(_people()))
	_picture("no_server")
	# Once there is one, the dock finds it.
	OS.set_environment("NPC_SERVER_COMMAND", OS.get_environment("NPC_TEST_SERVER"))
	for window: Window in get_tree().root.find_children("*", "AcceptDialog", true, false):
		window.hide()  # "Get npc-server", which opens by itself and takes the keys
	await _frames(10)
	await _click(_find_button(_panel(), "Look Again"))
	await _until(func() -> bool: return not _panel().visible and _is_read())
	_tell("rows with a server", _list_rows())


func _run_pictures() -> void:
	if OS.get_environment("NPC_TEST_THEME") == "Light":
		EditorInterface.get_editor_settings().set_setting("interface/theme/color_preset", "Light")
		await _frames(60)
	await _until(_is_read)
	_write(PEOPLE + "tobin_hale.yaml", _read(PEOPLE + "tobin_hale.yaml").replace("age: 61", "age: old"))
	await _until(func() -> bool: return not (_problems_of("tobin_hale") as Array).is_empty())
	await _frames(30)
	await _open_scene("res://scene.tscn")
	await _frames(30)
	_picture("dock_people", get_window(), _dock)
	_dock.call("show_page", _town())
	await _frames(60)
	await _click(_town().get("make_button") as Control)
	await _frames(30)
	_picture("make", _town().get("dialog") as Window)
	(_town().get("dialog") as Window).hide()
	await _frames(5)
	_picture("dock_town", get_window(), _dock)
	_dock.call("show_page", _people())
	await _frames(10)
	await _click(_people().get("new_button") as Control)
	await _frames(30)
	_picture("form", _people().get("form") as Window)
	(_people().get("form") as Window).hide()
	var agent := EditorInterface.get_edited_scene_root().get_node("Body/Agent")
	await _select(agent)
	_show_tab_of(EditorInterface.get_inspector())
	await _frames(30)
	_picture("dock_inspector", get_window(), EditorInterface.get_inspector())
	var property := _find_property()
	await _click((property.get("field") as Node).get("button") as Control)
	await _frames(30)
	_tell("choices", ((property.get("field") as Node).get("popup") as Window).visible)
	_picture("choices", (property.get("field") as Node).get("popup") as Window)


func _break_and_mend() -> void:
	var file := PEOPLE + "mara_voss.yaml"
	var good := _read(file)
	_write(file, good.replace("\nage: 34", "\nage: old"))
	await _until(func() -> bool: return not _problems_of("mara_voss").is_empty())
	_tell("broken", _problems_of("mara_voss"))
	await _click(_row_of("mara_voss").get_child(1) as Control)
	await _frames(10)
	var code := EditorInterface.get_script_editor().get_current_editor().get_base_editor() as CodeEdit
	_tell("opened", code.get_line(code.get_caret_line()))
	_write(file, good)
	await _until(func() -> bool: return _problems_of("mara_voss").is_empty())
	_tell("mended", _list_rows())


func _make_person() -> void:
	var form := _people().get("form") as ConfirmationDialog
	await _click(_people().get("new_button") as Control)
	_tell("form at first", [(form.get("problem") as Label).text, form.get_ok_button().disabled])
	await _type((form.get("fields") as Control).get("full_name") as Control, 'Ada "Finch": Smith')
	await _type((form.get("fields") as Control).get("traits") as Control, "shy, warm")
	var home := (form.get("fields") as Control).get("home") as Node
	_tell("homes", Array(home.get("_choices") as PackedStringArray))
	await _frames(5)
	await _click(home.get("button") as Control)
	await _type(home.get("search") as Control, "tobin_house:bed")
	await _press(home.get("search") as Control, KEY_ENTER)
	var work := ((form.get("fields") as Control).get("work") as Node).get("line") as Control
	await _type(work, "cafee")
	_tell("form with an unknown place", [(form.get("problem") as Label).text, form.get_ok_button().disabled])
	for i: int in 5:
		await _press(work, KEY_BACKSPACE)
	await _type(work, "millbrook:cafe:kitchen")
	_tell("form when filled", [(form.get("problem") as Label).text, form.get_ok_button().disabled])
	await _click(form.get_ok_button())
	await _until(func() -> bool: return _row_of("ada_finch_smith") != null and _is_read())
	_tell("made", [_read(PEOPLE + "ada_finch_smith.yaml"), _problems_of("ada_finch_smith")])
	await _click(_row_of("tobin_hale").get("copy_button") as Control)
	await _type((form.get("fields") as Control).get("full_name") as Control, "Odo Hale")
	await _click(form.get_ok_button())
	await _until(func() -> bool: return _row_of("odo_hale") != null and _is_read())
	_tell("copied", [_read(PEOPLE + "odo_hale.yaml"), _read(PEOPLE + "tobin_hale.yaml")])


func _import() -> void:
	for file: String in ["res://guest.yaml", "res://card.png"] as Array[String]:
		var data := {"type": "files", "files": PackedStringArray([file])}
		_tell("can drop", [_people().call("_can_drop_data", Vector2.ZERO, data), _people().call("_can_drop_data", Vector2.ZERO, "x")])
		_people().call("_drop_data", Vector2.ZERO, data)
		await _frames(2)
		await _until(func() -> bool: return _is_read() and not _message(_people()).begins_with("Importing"))
		_tell("import " + file.get_extension(), [_message(_people()), _row_of("guest") != null])


## Nodes of the town file, a new town file of these nodes, and nodes of that file.
func _make_town(kind: String, root: Node) -> void:
	_dock.call("show_page", _town())
	root.name = "Root"
	var first := ProjectSettings.get_setting("npc/save/town") as String
	var scenes: PackedStringArray = ["res://a_%s.tscn" % kind, "res://b_%s.tscn" % kind]
	for path: String in scenes:
		var scene := PackedScene.new()
		scene.pack(root)
		ResourceSaver.save(scene, path)
	root.free()
	var nodes_of_first := await _make_nodes(scenes[0])
	_tell(kind + " nodes", nodes_of_first.size())
	_undo().undo()
	_tell(kind + " undone", _list_nodes().size())
	_undo().redo()
	_tell(kind + " done again", [_list_nodes() == nodes_of_first, _have_owner()])
	var second := "res://people/written_%s.yaml" % kind.to_lower()
	ProjectSettings.set_setting("npc/save/town", second)
	await _until(func() -> bool: return not (_town().get("write_button") as Button).disabled)
	await _click(_town().get("write_button") as Control)
	_tell(kind + " cell", (_town().get("cell") as SpinBox).value)
	await _click((_town().get("dialog") as ConfirmationDialog).get_ok_button())
	await _until(func() -> bool: return FileAccess.file_exists(second))
	_tell(kind + " written", _message(_town()))
	_dock.call("look_again")
	await _until(_is_read)
	await _frames(5)
	_tell(kind + " problems", _problems_of_town())
	var nodes_of_second := await _make_nodes(scenes[1])
	_tell(kind + " equal", nodes_of_second == nodes_of_first)
	for i: int in mini(nodes_of_first.size(), nodes_of_second.size()):
		if nodes_of_first[i] != nodes_of_second[i]:
			_tell(kind + " differs", [nodes_of_first[i], nodes_of_second[i]])
	await _open_scene(scenes[0])
	_undo().undo()
	_tell(kind + " file undone", [FileAccess.file_exists(second), ProjectSettings.get_setting("npc/save/town")])
	ProjectSettings.set_setting("npc/save/town", first)
	_dock.call("look_again")
	await _until(_is_read)


func _make_nodes(path: String) -> Array:
	await _open_scene(path)
	await _until(_is_read)
	_town().call("show_town")
	await _frames(3)
	await _click(_town().get("make_button") as Control)
	await _frames(3)
	await _click((_town().get("dialog") as ConfirmationDialog).get_ok_button())
	await _frames(3)
	return _list_nodes()


func _choose_in_inspector() -> void:
	await _open_scene("res://scene.tscn")
	_town().call("show_town")
	_tell("summary", (_town().get("summary") as Label).text)
	var agent := EditorInterface.get_edited_scene_root().get_node("Body/Agent")
	_show_tab_of(EditorInterface.get_inspector())
	await _select(agent)
	var field := _find_property().get("field") as Node
	_tell("unknown person", (_find_property().get("note") as Label).text)
	await _click(field.get("button") as Control)
	await _type(field.get("search") as Control, "voss")
	await _press(field.get("search") as Control, KEY_ENTER)
	await _frames(5)
	_tell("chosen person", [agent.get("persona_id"), (_find_property().get("note") as Label).text])
	_undo().undo()
	_tell("person undone", agent.get("persona_id"))
	var place := EditorInterface.get_edited_scene_root().get_node("Shpo")
	await _select(place)
	_tell("unknown place", (_find_property().get("note") as Label).text)
	var line := (_find_property().get("field") as Node).get("line") as LineEdit
	await _click(line)
	line.select_all()
	await _type(line, "x", false)
	await _frames(5)
	_tell("typed place", place.get("address"))
	line.select_all()
	await _type(line, "cafe", false)
	await _frames(5)
	var while_typing := line.text
	line.release_focus()
	await _frames(5)
	_tell("typed short place", [while_typing, place.get("address"), line.text])
	var places := (_find_property().get("field") as Node).get("_choices") as PackedStringArray
	_tell("places to choose", [places.size(), places.has("millbrook:cafe"), places.has("millbrook:cafe:kitchen:stove")])


func _disable() -> void:
	EditorInterface.set_plugin_enabled("npc", false)
	await _frames(20)
	EditorInterface.edit_node(EditorInterface.get_edited_scene_root())
	await _frames(5)
	EditorInterface.edit_node(EditorInterface.get_edited_scene_root().get_node("Body/Agent"))
	await _frames(5)
	_tell("left", _list_own(get_tree().root))
	_tell("setting left", ProjectSettings.has_setting("autoload/NpcServer"))
	_tell("drops", get_window().files_dropped.get_connections().filter(_is_own_connection).size())
	EditorInterface.set_plugin_enabled("npc", true)
	await _find_dock()
	await _until(_is_read)
	_tell("enabled again", _list_rows().size())


func _is_own_connection(connection: Dictionary) -> bool:
	var target := (connection["callable"] as Callable).get_object()
	return target is Node and _is_own(target as Node)


func _is_own(node: Node) -> bool:
	var script := node.get_script() as Script
	return script != null and script.resource_path.begins_with("res://addons/npc/editor")


func _list_own(node: Node) -> PackedStringArray:
	var found := PackedStringArray([str(node.get_path())] if _is_own(node) else [])
	for child: Node in node.get_children(true):
		found.append_array(_list_own(child))
	return found


func _select(node: Node) -> void:
	EditorInterface.get_selection().clear()
	EditorInterface.get_selection().add_node(node)
	EditorInterface.edit_node(node)
	await _until(func() -> bool: return _find_property() != null and _find_property().get_edited_object() == node)
	await _frames(5)


func _find_property() -> EditorProperty:
	for found: Node in EditorInterface.get_inspector().find_children("*", "EditorProperty", true, false):
		if found.get_script() != null and (found.get_script() as Script).resource_path.ends_with("choice_property.gd"):
			return found as EditorProperty
	return null


func _panel() -> Control:
	return _dock.get("no_server")


func _problems_of_town() -> Array:
	var lines := (_town().get("_problems") as Node).get_children()
	return lines.filter(func(it: Node) -> bool: return not it.is_queued_for_deletion()).map(func(it: Button) -> String: return it.text)
