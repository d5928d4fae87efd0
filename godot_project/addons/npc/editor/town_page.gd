@tool
extends VBoxContainer
## The town as a tree, beside the scene that is open: what the scene lacks, and what the town does not know.

## Emitted when a place or object has been deleted from the town file.
signal deleted

const Known := preload("res://addons/npc/editor/known.gd")
const NodeMaker := preload("res://addons/npc/editor/node_maker.gd")
const ProblemLine := preload("res://addons/npc/editor/problem_line.gd")
const PlaceRemover := preload("res://addons/npc/editor/place_remover.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const TextFile := preload("res://addons/npc/editor/text_file.gd")
const WrittenFile := preload("res://addons/npc/editor/written_file.gd")
## Seconds between two looks at the scene.
const LOOK_S := 0.5
## Where a town file goes in a project that has none yet.
const FIRST_FILE := "res://people/town.yaml"
## The file in which nodes go to the server.
const NODES_FILE := "res://.godot/npc/nodes.json"
## The mark of a tree item's button.
const MAKE := 0

## Opens the dialog that makes nodes.
var make_button := Button.new()
## Opens the dialog that writes a town file.
var write_button := Button.new()
## Opens the question whether the selected place or object is to go.
var delete_button := Button.new()
## Asks it, and deletes.
var remover: PlaceRemover
var tree := Tree.new()
## What the scene lacks, in a sentence.
var summary := Label.new()
## What writing the file had to tell.
var message := Label.new()
## Asks how large a cell is.
var dialog := ConfirmationDialog.new()
var cell := SpinBox.new()
var dimension := OptionButton.new()

var _known: Known
var _asker: ServerAsker
var _words := Label.new()
var _problems := VBoxContainer.new()
var _scene: SceneNodes
var _seen: String = ""
var _wait_s: float = 0.0
## What the dialog is asked for: addresses to make, or none to write the file.
var _wanted: PackedStringArray = []


func _init(known: Known, asker: ServerAsker) -> void:
	name = "Town"
	_known = known
	_asker = asker
	var tools := HFlowContainer.new()
	make_button.text = "Make Nodes…"
	make_button.tooltip_text = "Add a node to the open scene for each place and object of the town file that it lacks."
	make_button.pressed.connect(func() -> void: ask_to_make(_list_missing("")))
	write_button.text = "Write Town File…"
	write_button.tooltip_text = "Write the places and objects of the open scene into the town file."
	write_button.pressed.connect(ask_to_write)
	tools.add_child(make_button)
	tools.add_child(write_button)
	delete_button.text = "Delete…"
	delete_button.tooltip_text = "Delete the selected place or object, and all that is in it, from the town file."
	delete_button.disabled = true
	delete_button.pressed.connect(ask_to_delete)
	tools.add_child(delete_button)
	remover = PlaceRemover.new(known, asker)
	remover.told.connect(tell)
	remover.deleted.connect(func() -> void: deleted.emit())
	add_child(remover)
	add_child(tools)
	for label: Label in [summary, message] as Array[Label]:
		label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		add_child(label)
	message.hide()
	add_child(_problems)
	tree.size_flags_vertical = Control.SIZE_EXPAND_FILL
	tree.hide_root = true
	tree.item_selected.connect(_on_selected)
	tree.item_activated.connect(_on_activated)
	tree.nothing_selected.connect(_allow)
	tree.gui_input.connect(_on_tree_input)
	tree.button_clicked.connect(_on_button)
	add_child(tree)
	_build_dialog()
	known.changed.connect(func() -> void: _seen = "")


func _process(delta: float) -> void:
	_wait_s -= delta
	if _wait_s > 0.0 or not is_visible_in_tree():
		return
	_wait_s = LOOK_S
	var scene: SceneNodes = SceneNodes.read(EditorInterface.get_edited_scene_root())
	var signature := scene.get_signature()
	if signature != _seen:
		_scene = scene
		show_town()
		_seen = signature


## Shows the town beside the scene as it is now.
func show_town() -> void:
	_scene = SceneNodes.read(EditorInterface.get_edited_scene_root())
	tree.clear()
	_allow()
	var top := tree.create_item()
	var items: Dictionary[String, TreeItem] = {}
	for address: String in _known.nodes:
		var around: TreeItem = items.get(NpcPlaceCore.get_parent_address(address), top)
		items[address] = _add_item(around, address)
	var unknown := _list_unknown()
	for node: Node in unknown:
		_add_unknown(top, node)
	for item: TreeItem in items.values():
		item.collapsed = (item.get_parent() != top and item.get_child_count() > 0 and not _lacks_inside(item))
	var missing := _list_missing("")
	make_button.disabled = _scene.root == null or missing.is_empty()
	write_button.disabled = _scene.all.is_empty()
	summary.text = _summarize(missing.size(), unknown.size())
	for line: Node in _problems.get_children():
		line.queue_free()
	for problem: Dictionary in _known.find_problems(NpcSettings.get_text(NpcSettings.TOWN)):
		var line := ProblemLine.new(problem)
		line.pressed.connect(TextFile.open.bind(problem["file"], problem["line"]))
		_problems.add_child(line)


## Asks how large a cell is, and then makes the nodes of some addresses.
func ask_to_make(addresses: PackedStringArray) -> void:
	_wanted = addresses
	var parent := _get_parent_node()
	dialog.title = "Make Nodes of the Town File"
	dialog.ok_button_text = "Make %d" % addresses.size()
	_words.text = ("%d places and objects become nodes of the open scene, under '%s'." % [addresses.size(), parent.name])
	_open_dialog()


## Asks how large a cell is, and then writes the town file.
func ask_to_write() -> void:
	_wanted = []
	dialog.title = "Write the Town File of This Scene"
	dialog.ok_button_text = "Write"
	_words.text = ("%d places and objects go into %s. What the scene lacks stays in the file." % [_scene.by_address.size(), get_file()])
	_open_dialog()


## Asks whether the selected place or object is to go.
func ask_to_delete() -> void:
	if not _get_selected_address().is_empty():
		remover.ask(_get_selected_address(), get_file(), _scene)


## Returns the town file. A project that names none gets one.
func get_file() -> String:
	var file := NpcSettings.get_text(NpcSettings.TOWN)
	return file if not file.is_empty() else FIRST_FILE


func _build_dialog() -> void:
	var grid := GridContainer.new()
	grid.columns = 2
	dimension.add_item("2D")
	dimension.add_item("3D")
	dimension.item_selected.connect(func(_item: int) -> void: _suggest_cell())
	cell.min_value = 0.01
	cell.max_value = 4096
	cell.step = 0.01
	cell.allow_greater = true
	cell.custom_minimum_size.x = 160
	for row: Array in [["Nodes for", dimension], ["Length of a cell", cell]] as Array[Array]:
		var label := Label.new()
		label.text = row[0]
		grid.add_child(label)
		grid.add_child(row[1] as Control)
	var column := VBoxContainer.new()
	_words.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	_words.custom_minimum_size.x = 380
	column.add_child(_words)
	column.add_child(grid)
	dialog.add_child(column)
	dialog.confirmed.connect(_on_confirmed)
	add_child(dialog)


func _open_dialog() -> void:
	dimension.selected = 1 if _scene.is_3d() else 0
	_suggest_cell()
	dialog.reset_size()
	dialog.popup_centered()


func _suggest_cell() -> void:
	cell.suffix = "m" if dimension.selected == 1 else "px"
	cell.value = _scene.get_cell(_known, dimension.selected == 1)


func _on_confirmed() -> void:
	cell.apply()
	var in_3d := dimension.selected == 1
	if not _wanted.is_empty():
		_add(NodeMaker.make(_known, _scene, _wanted, _get_parent_node(), cell.value, in_3d) as NodeMaker)
		tell("")
		show_town()
		return
	var nodes := _scene.to_cells(_known, cell.value, in_3d)
	DirAccess.make_dir_recursive_absolute(NODES_FILE.get_base_dir())
	var problem := TextFile.write(NODES_FILE, JSON.stringify(nodes, "", false))
	if not problem.is_empty():
		tell(problem)
		return
	var words: PackedStringArray = ["editor", "town-of-nodes", ProjectSettings.globalize_path(NODES_FILE)]
	if FileAccess.file_exists(get_file()):
		words.append_array(["--town", ProjectSettings.globalize_path(get_file())])
	tell("Writing…")
	if not _asker.ask(words, _on_written.bind(get_file(), _scene.root)):
		tell("npc-server writes town files, and there is none.")


func _add(maker: NodeMaker) -> void:
	var undo := EditorInterface.get_editor_undo_redo()
	undo.create_action("Make nodes of the town file", UndoRedo.MERGE_DISABLE, _scene.root)
	for node: Node in maker.tops:
		undo.add_do_method(maker.tops[node], &"add_child", node, true)
		undo.add_do_reference(node)
		undo.add_undo_method(maker.tops[node], &"remove_child", node)
	for node: Node in maker.made.values():
		undo.add_do_method(node, &"set_owner", _scene.root)
	undo.commit_action()


func _on_written(answer: Dictionary, error: String, file: String, root: Node) -> void:
	if not error.is_empty():
		tell("The town file was not written. %s" % error)
		return
	var root_now := root if is_instance_valid(root) else EditorInterface.get_edited_scene_root()
	var told := PackedStringArray(answer["notes"] as Array)
	if FileAccess.file_exists(file) and FileAccess.get_file_as_string(file) == answer["text"]:
		told.insert(0, "%s says all of it already." % file)
	else:
		WrittenFile.commit_town(file, answer["text"] as String, root_now)
		told.insert(0, "Wrote %s. Undo takes it back." % file)
	tell("\n".join(told))


## Shows sentences above the tree; hides them if there are none.
func tell(text: String) -> void:
	message.text = text
	message.visible = not text.is_empty()


func _add_item(around: TreeItem, address: String) -> TreeItem:
	var told := _known.nodes[address]
	var is_there := _scene.by_address.has(address)
	var item := around.create_child()
	item.set_text(0, told["name"])
	item.set_metadata(0, address)
	item.set_icon(0, load("res://addons/npc/icons/%s.svg" % ("object" if told["kind"] == "object" else "place")) as Texture2D)
	item.set_icon_max_width(0, int(16 * EditorInterface.get_editor_scale()))
	item.set_tooltip_text(0, "%s\n%s" % [_known.shorten(address), _hint(is_there)])
	if not is_there:
		item.set_custom_color(0, get_theme_color(&"font_disabled_color", &"Editor"))
		item.set_icon_modulate(0, Color(1, 1, 1, 0.4))
		if _scene.root != null:
			item.add_button(0, get_theme_icon(&"Add", &"EditorIcons"), MAKE, false, "Make this node, and those in it.")
	return item


func _hint(is_there: bool) -> String:
	if is_there:
		return "Click to select the node. Double-click to open the town file."
	return "The open scene has no node for it. Double-click to open the town file."


func _add_unknown(top: TreeItem, node: Node) -> void:
	var address := str(node.get("address"))
	var similar := Known.find_similar(address, _known.list_addresses(SceneNodes.is_object(node)))
	var item := top.create_child(0)
	item.set_text(0, "%s: no '%s' in the town" % [node.name, _known.shorten(address)])
	item.set_metadata(0, node)
	item.set_icon(0, get_theme_icon(&"StatusError", &"EditorIcons"))
	item.set_custom_color(0, get_theme_color(&"error_color", &"Editor"))
	var hint := "Did you mean '%s'? " % _known.shorten(similar) if not similar.is_empty() else ""
	item.set_tooltip_text(0, "%sCorrect the address in the Inspector, or write the town file of this scene." % hint)


func _lacks_inside(item: TreeItem) -> bool:
	var child := item.get_first_child()
	while child != null:
		if not _scene.by_address.has(child.get_metadata(0) as String) and _scene.by_address.has(item.get_metadata(0) as String):
			return true
		if _lacks_inside(child):
			return true
		child = child.get_next()
	return false


func _summarize(missing: int, unknown: int) -> String:
	if _known.nodes.is_empty() and _scene.all.is_empty():
		return "There is no town yet. Add NpcPlace and NpcObject nodes with addresses to a scene, then write the town file."
	if _known.nodes.is_empty():
		var count := "1 node" if _scene.all.size() == 1 else "%d nodes" % _scene.all.size()
		return "There is no town file yet. Write the town file from %s of this scene." % count
	if _scene.root == null:
		return "Open a scene to see what it lacks."
	var told := "This scene has a node for everything in the town."
	if missing > 0:
		told = "This scene lacks %d of %d places and objects." % [missing, _known.nodes.size()]
	if unknown > 0:
		told += " The town does not know %d of its nodes." % unknown
	return told


func _list_missing(inside: String) -> PackedStringArray:
	var found := PackedStringArray()
	for address: String in _known.nodes:
		var is_wanted := inside.is_empty() or address == inside or address.begins_with(inside + ":")
		if is_wanted and not _scene.by_address.has(address):
			found.append(address)
	return found


func _list_unknown() -> Array[Node]:
	if _known.nodes.is_empty():
		return []
	return _scene.all.filter(func(node: Node) -> bool: return not _known.nodes.has(str(node.get("address"))))


## Returns the selected node, or the root of the scene. A place or object would pass its own position on.
func _get_parent_node() -> Node:
	var selected := EditorInterface.get_selection().get_selected_nodes()
	var is_usable := selected.size() == 1 and not SceneNodes.is_kept(selected[0]) and _scene.root.is_ancestor_of(selected[0])
	return selected[0] if is_usable else _scene.root


## The town itself cannot be deleted.
func _get_selected_address() -> String:
	var item := tree.get_selected()
	var meta: Variant = item.get_metadata(0) if item != null else null
	return meta as String if meta is String and (meta as String).contains(":") else ""


func _allow() -> void:
	delete_button.disabled = _get_selected_address().is_empty()


func _on_tree_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key != null and key.pressed and not key.echo and key.keycode == KEY_DELETE:
		ask_to_delete()
		tree.accept_event()


func _on_selected() -> void:
	_allow()
	var meta: Variant = tree.get_selected().get_metadata(0)
	var node: Node = meta as Node if meta is Node else _scene.by_address.get(meta)
	if is_instance_valid(node):
		EditorInterface.get_selection().clear()
		EditorInterface.get_selection().add_node(node)
		EditorInterface.edit_node(node)


func _on_activated() -> void:
	var meta: Variant = tree.get_selected().get_metadata(0)
	if meta is String:
		TextFile.open(_known.town["file"] as String, _known.nodes[meta]["line"] as int)


func _on_button(item: TreeItem, _column: int, _id: int, _mouse: int) -> void:
	ask_to_make(_list_missing(item.get_metadata(0) as String))
