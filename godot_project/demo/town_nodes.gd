class_name DemoTownNodes
extends RefCounted
## Reads the places and objects of a town from the nodes of its scene. What no node can say comes from the town file: where doors
## and paths are, who lives there, and what can go wrong with an object.

var _root: Node2D
var _id: String
## What the file says of each place, room and object, by address.
var _known: Dictionary[String, Dictionary] = {}
## What the nodes make of it, by address.
var _found: Dictionary[String, Dictionary] = {}


## Puts the nodes of a scene into what was read from a town file, in the place of all places and objects there.
static func put(scene: Node2D, file: Dictionary) -> void:
	var nodes := new()
	nodes._root = scene
	nodes._id = file["id"]
	nodes._put(file)


## Returns a text that changes when something is moved, resized, added or removed.
static func get_signature(scene: Node2D) -> String:
	var told := PackedStringArray()
	for node: Node in scene.find_children("*", "Node2D", true, false):
		if node is NpcPlace or node is NpcObject:
			told.append("%s %s %s %s" % [node.get("address"), _get_cells(scene, node as Node2D), node.get("open"), node.get("kind")])
	return "\n".join(told)


## Returns where a node is, in cells: a rectangle, of which that of an object is a single cell.
static func _get_cells(root: Node2D, node: Node2D) -> Rect2i:
	var at := (node.global_position - root.global_position) / DemoTownPlan.CELL
	if node is NpcPlace:
		return Rect2i(Vector2i(at.round()), Vector2i(((node as NpcPlace).size / DemoTownPlan.CELL).round()))
	return Rect2i(Vector2i(at.floor()), Vector2i.ONE)


func _put(file: Dictionary) -> void:
	_learn(_id, file["places"] as Array, ["rooms", "objects"])
	var levels: Array[Array] = [[], [], [], []]
	for node: Node in _root.find_children("*", "Node2D", true, false):
		var parts := str(node.get("address")).split(":")
		if parts[0] == _id and (parts.size() < 4 and node is NpcPlace or parts.size() == 4 and node is NpcObject):
			levels[parts.size() - 1].append(node)
	for town: NpcPlace in levels[0]:
		var size := _get_cells(_root, town).size
		file["name"] = town.display_name
		file["size"] = [size.x, size.y]
	var places: Array[Dictionary] = []
	for place: Node2D in levels[1]:
		places.append(_read(place))
	file["places"] = places
	for level: int in [2, 3] as Array[int]:
		for node: Node2D in levels[level]:
			var around: Variant = _found.get(NpcPlaceCore.get_parent_address(str(node.get("address"))))
			if around != null:
				((around as Dictionary).get_or_add("rooms" if level == 2 else "objects", []) as Array).append(_read(node))


func _learn(around: String, entries: Array, inside: Array[String]) -> void:
	for entry: Dictionary in entries:
		var address := "%s:%s" % [around, entry["id"]]
		_known[address] = entry
		if not inside.is_empty():
			_learn(address, entry.get(inside[0], []) as Array, inside.slice(1))


func _read(node: Node2D) -> Dictionary:
	var address := str(node.get("address"))
	var before: Dictionary = _known.get(address, {})
	var cells := _get_cells(_root, node)
	var told := before.duplicate()
	told.merge({"id": address.get_slice(":", address.count(":")), "name": node.get("display_name")}, true)
	told.erase("rooms")
	told.erase("objects")
	_found[address] = told
	if node is NpcObject:
		var kind := (node as DemoFurniture).kind if node is DemoFurniture else str(before.get("kind", ""))
		told.merge({"at": [cells.position.x, cells.position.y], "state": node.get("state"), "kind": kind}, true)
		return told
	told.merge({"rect": [cells.position.x, cells.position.y, cells.size.x, cells.size.y], "open": node.get("open")}, true)
	if before.has("doors"):
		told["doors"] = _move_doors(before, cells.position)
	return told


## A house takes its doors along.
func _move_doors(before: Dictionary, to: Vector2i) -> Array:
	var by := to - DemoTownPlan.read_cell(before["rect"] as Array)
	var moved: Array = []
	for door: Array in before["doors"]:
		var cell := DemoTownPlan.read_cell(door) + by
		moved.append([cell.x, cell.y])
	return moved
