@tool
extends ConfirmationDialog
## Deletes a place, a room or an object from the town file, after a question that lists what else names it.

## Emitted with a sentence about what was done, or went wrong.
signal told(text: String)
## Emitted when the town file was written.
signal deleted

const Known := preload("res://addons/npc/editor/known.gd")
const References := preload("res://addons/npc/editor/references.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const WrittenFile := preload("res://addons/npc/editor/written_file.gd")
const WIDTH := 440.0

## Whether the nodes of the open scene go, too.
var with_nodes := CheckBox.new()

var _known: Known
var _asker: ServerAsker
var _words := Label.new()
var _file: String = ""
var _text: String = ""
var _root: Node
## The nodes of the open scene that stand for it, without those below them.
var _nodes: Array[Node] = []


func _init(known: Known, asker: ServerAsker) -> void:
	_known = known
	_asker = asker
	title = "Delete from the Town File"
	ok_button_text = "Delete"
	var column := VBoxContainer.new()
	_words.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	_words.custom_minimum_size.x = WIDTH * EditorInterface.get_editor_scale()
	column.add_child(_words)
	column.add_child(with_nodes)
	add_child(column)
	confirmed.connect(_delete)


## Asks, once npc-server has told what names the address. [param address] has the id of the town.
func ask(address: String, file: String, scene: SceneNodes) -> void:
	var words: PackedStringArray = ["editor", "town-without", address, "--town", ProjectSettings.globalize_path(file)]
	var personas := NpcSettings.get_text(NpcSettings.PERSONAS)
	if DirAccess.dir_exists_absolute(personas):
		words.append_array(["--personas", ProjectSettings.globalize_path(personas)])
	_file = file
	_root = scene.root
	_nodes = _list_tops(address, scene)
	if not _asker.ask(words, _on_answered.bind(address)):
		told.emit("npc-server changes the town file, and there is none.")


## Returns the question. It is here so that one can see all of it.
func get_question() -> String:
	return _words.text


func _on_answered(answer: Dictionary, error: String, address: String) -> void:
	if not error.is_empty():
		told.emit("Nothing was deleted. %s" % error)
		return
	_text = answer["text"]
	var inside := Array(_known.nodes.keys()).filter(func(it: String) -> bool: return it.begins_with(address + ":")).size()
	var lines := PackedStringArray(
		["Delete %s ('%s') from %s? You can undo it." % [_known.nodes[address]["name"], _known.shorten(address), _file]]
	)
	if inside > 0:
		lines.append("What is in it goes, too: %s." % ("1 thing" if inside == 1 else "%d rooms and objects" % inside))
	lines.append(References.tell("It is also named in:", PackedStringArray(answer["named"] as Array)))
	var scenes := Array(References.list_scenes(['address = "%s"' % address, 'address = "%s:' % address]))
	scenes = scenes.filter(func(it: String) -> bool: return _root == null or it != _root.scene_file_path)
	lines.append(References.tell("These scenes have nodes of it, which stay:", PackedStringArray(scenes)))
	for problem: Dictionary in answer["problems"] as Array:
		lines.append("The town file has a mistake without it: %s %s" % [problem["what"], problem["fix"]])
	_words.text = "\n\n".join(Array(lines).filter(func(it: String) -> bool: return not it.is_empty()))
	with_nodes.text = (
		"Delete its node in the open scene, too" if _nodes.size() == 1 else "Delete its %d nodes in the open scene, too" % _nodes.size()
	)
	with_nodes.visible = not _nodes.is_empty()
	with_nodes.button_pressed = true
	reset_size()
	popup_centered()


func _delete() -> void:
	var undo := EditorInterface.get_editor_undo_redo()
	var root := _root if is_instance_valid(_root) else EditorInterface.get_edited_scene_root()
	undo.create_action("Delete from the town file", UndoRedo.MERGE_DISABLE, root)
	WrittenFile.add_town(undo, _file, _text)
	if with_nodes.visible and with_nodes.button_pressed:
		for node: Node in _nodes.filter(is_instance_valid):
			_remove(undo, node)
	undo.commit_action()
	told.emit("Wrote %s. Undo takes it back." % _file)
	deleted.emit()


func _remove(undo: EditorUndoRedoManager, node: Node) -> void:
	var parent := node.get_parent()
	undo.add_do_method(parent, &"remove_child", node)
	undo.add_undo_method(parent, &"add_child", node, true)
	undo.add_undo_method(parent, &"move_child", node, node.get_index())
	undo.add_undo_reference(node)
	for below: Node in [node] + node.find_children("*", "", true, false):
		if below.owner != null:
			undo.add_undo_method(below, &"set_owner", below.owner)


## The root of a scene cannot go.
func _list_tops(address: String, scene: SceneNodes) -> Array[Node]:
	var found: Array[Node] = []
	for node: Node in scene.all:
		var own := str(node.get("address"))
		var is_wanted := (own == address or own.begins_with(address + ":")) and node != scene.root
		if is_wanted and not found.any(func(it: Node) -> bool: return it.is_ancestor_of(node)):
			found.append(node)
	return found
