@tool
extends "res://addons/npc/panel/page.gd"
## What somebody has concluded, each with what it rests on: a tree whose leaves are what was noticed.

const Memories := preload("res://addons/npc/panel/memories_page.gd")
const PAGE := 30
const MORE := "Show older ones…"

var tree := Tree.new()

var _detail := Look.make_text()
var _newest: int = -1
var _next: String = ""
var _is_asking: bool = false
var _round: int = 0


func _build() -> void:
	tree.hide_root = true
	tree.size_flags_vertical = Control.SIZE_EXPAND_FILL
	tree.item_selected.connect(_on_item_selected)
	tree.item_collapsed.connect(_on_item_collapsed)
	_split(tree, _detail, 0.72)


func _clear() -> void:
	_round += 1
	_newest = -1
	_next = ""
	_is_asking = false
	_detail.text = ""
	tree.clear()


## Reflections are few. So the first page is asked for again when there is any new memory and the page has nothing open.
func _update(person: Dictionary) -> void:
	var latest := person.get("latest_memory_id", 0) as int
	if latest != _newest and not _is_asking and not _has_open():
		_newest = latest
		_get_page("")


func _has_open() -> bool:
	var root := tree.get_root()
	return root != null and root.get_children().any(func(item: TreeItem) -> bool: return not item.collapsed)


func _get_page(token: String) -> void:
	_is_asking = true
	var this_round := _round
	var found := await _ask("ListMemories", {"kinds": ["MEMORY_KIND_REFLECTION"], "page_size": PAGE, "page_token": token})
	if this_round != _round:
		return
	_is_asking = false
	if found.is_empty():
		return
	var memories: Array = found["memories"]
	if token.is_empty():
		if _shows(memories):
			return
		tree.clear()
		tree.create_item()
	_next = found["next_page_token"]
	for memory: Dictionary in memories:
		_add(tree.get_root(), memory)
	if not _next.is_empty():
		var more := tree.create_item(tree.get_root())
		more.set_text(0, MORE)
	elif tree.get_root().get_child_count() == 0:
		var none := tree.create_item(tree.get_root())
		none.set_text(0, "Nothing has been concluded yet.")
		none.set_selectable(0, false)


## Whether the tree begins with these memories already.
func _shows(memories: Array) -> bool:
	var root := tree.get_root()
	if root == null or memories.is_empty() or root.get_child_count() < memories.size():
		return false
	for i: int in memories.size():
		if root.get_child(i).get_metadata(0) is not Dictionary or root.get_child(i).get_metadata(0)["id"] != memories[i]["id"]:
			return false
	return true


func _add(under: TreeItem, memory: Dictionary) -> void:
	var item := tree.create_item(under)
	var kind := Look.word(memory["kind"], "MEMORY_KIND")
	item.set_text(
		0,
		(
			"%s   (%s, %s, importance %d)"
			% [memory["text"], Look.KINDS.get(kind, kind), Look.moment(memory["created_s"] as int), memory["importance"]]
		)
	)
	item.set_custom_color(0, Look.KIND_COLOURS.get(kind, Look.DIM) as Color if tree.theme == null else Look.INK)
	item.set_tooltip_text(0, str(memory["text"]))
	item.set_metadata(0, memory)
	if not (memory["evidence"] as Array).is_empty():
		tree.create_item(item).set_text(0, "…")
		item.collapsed = true


## Gets what a conclusion rests on when it is opened.
func _on_item_collapsed(item: TreeItem) -> void:
	if item.collapsed or item.get_metadata(0) is not Dictionary or item.get_child_count() != 1 or item.get_child(0).get_text(0) != "…":
		return
	var memory: Dictionary = item.get_metadata(0)
	var this_round := _round
	var found := await _ask("GetEvidence", {"memory_id": memory["id"]})
	if this_round != _round or found.is_empty():
		return
	item.get_child(0).free()
	for ground: Dictionary in found["memories"] as Array:
		if ground["id"] in (memory["evidence"] as Array) and ground["id"] != memory["id"]:
			_add(item, ground)


func _on_item_selected() -> void:
	var item := tree.get_selected()
	if item.get_text(0) == MORE and not _is_asking:
		item.free()
		_get_page(_next)
	elif item.get_metadata(0) is Dictionary:
		_detail.text = Memories.describe(item.get_metadata(0) as Dictionary, view)
