@tool
extends RefCounted
## The places and objects of a scene, and where they are in the cells of a town file.

const Known := preload("res://addons/npc/editor/known.gd")
## Pixels in a metre of 2D, as NpcServer.pixels_per_metre is at first.
const PIXELS_PER_METRE := 32.0

## The root of the scene; [code]null[/code] if none is open.
var root: Node
## The places and objects with an address, in the order of the scene tree.
var all: Array[Node] = []
## The first node of each address.
var by_address: Dictionary[String, Node] = {}


## Reads a scene.
static func read(scene_root: Node) -> RefCounted:
	var found := new()
	found.root = scene_root
	if scene_root != null:
		found._collect(scene_root)
	return found


## Returns [code]true[/code] for a place or an object.
static func is_kept(node: Node) -> bool:
	return node is NpcPlace or node is NpcPlace3D or is_object(node)


## Returns [code]true[/code] for an object.
static func is_object(node: Node) -> bool:
	return node is NpcObject or node is NpcObject3D


## Returns a text that changes when what this page shows of the scene changes.
func get_signature() -> String:
	var told := PackedStringArray([str(root.get_instance_id()) if root != null else ""])
	for node: Node in all:
		told.append("%s %s" % [node.get_instance_id(), node.get("address")])
	return "\n".join(told)


## Returns [code]true[/code] if new nodes are best made for 3D.
func is_3d() -> bool:
	if not all.is_empty():
		return all[0] is Node3D
	return root is Node3D


## Returns how long a cell of the town file is in the scene, in pixels or metres: by the nodes that the file has, too.
func get_cell(known: Known, in_3d: bool) -> float:
	var counted: Dictionary[float, int] = {}
	for address: String in by_address:
		if known.nodes.has(address) and known.nodes[address].has("rect") and (by_address[address] is Node3D) == in_3d:
			var cells := (known.nodes[address]["rect"] as Array)[2] as float
			var length := snappedf(get_rect(by_address[address]).size.x / cells, 0.001)
			counted[length] = counted.get(length, 0) + 1
	if not counted.is_empty():
		return _most(counted) as float
	return (known.town.get("cell_m", 1.0) as float) * (1.0 if in_3d else PIXELS_PER_METRE)


## Returns where the top left of the town is in the scene. A scene may show a part of the town, which begins anywhere.
func get_origin(known: Known, cell: float, in_3d: bool) -> Vector2:
	var counted: Dictionary[Vector2, int] = {}
	var least := Vector2.ZERO
	for address: String in by_address:
		var node := by_address[address]
		if is_object(node) or (node is Node3D) != in_3d:
			continue
		var corner := get_rect(node).position
		least = least.min(corner)
		if known.nodes.has(address):
			var cells := known.nodes[address]["rect"] as Array
			var origin := (corner - Vector2(cells[0] as float, cells[1] as float) * cell).snappedf(0.01)
			counted[origin] = counted.get(origin, 0) + 1
	if not counted.is_empty():
		return _most(counted) as Vector2
	return (least / cell).floor() * cell


## Returns the rectangle of a place, or the point of an object, seen from above.
static func get_rect(node: Node) -> Rect2:
	if node is NpcPlace:
		return (node as NpcPlace).get_rect()
	if node is NpcPlace3D:
		var size := (node as NpcPlace3D).size
		var box := _global_of(node as Node3D) * AABB(Vector3(-size.x / 2.0, 0, -size.z / 2.0), size)
		return Rect2(box.position.x, box.position.z, box.size.x, box.size.z)
	if node is Node3D:
		var at := _global_of(node as Node3D).origin
		return Rect2(at.x, at.z, 0, 0)
	return Rect2((node as Node2D).global_position, Vector2.ZERO)


## Returns the nodes as [code]npc-server editor town-of-nodes[/code] reads them.
func to_cells(known: Known, cell: float, in_3d: bool) -> Dictionary:
	var origin := get_origin(known, cell, in_3d)
	var places: Array[Dictionary] = []
	var objects: Array[Dictionary] = []
	for address: String in by_address:
		var node := by_address[address]
		if (node is Node3D) != in_3d:
			continue
		var rect := get_rect(node)
		rect = Rect2((rect.position - origin) / cell, rect.size / cell)
		var told := {"address": address, "name": node.get("display_name"), "capacity": node.get("capacity")}
		if is_object(node):
			told["at"] = [rect.position.x, rect.position.y]
			for key: String in ["states", "state", "actions"] as Array[String]:
				told[key] = node.get(key)
			objects.append(told)
		else:
			told["rect"] = [rect.position.x, rect.position.y, rect.size.x, rect.size.y]
			for key: String in ["open", "hours", "owners"] as Array[String]:
				told[key] = node.get(key)
			places.append(told)
	return {"places": places, "objects": objects}


func _collect(node: Node) -> void:
	if is_kept(node):
		var address := str(node.get("address"))
		if not address.is_empty():
			all.append(node)
			if not by_address.has(address):
				by_address[address] = node
	for child: Node in node.get_children():
		_collect(child)


static func _global_of(node: Node3D) -> Transform3D:
	return node.global_transform if node.is_inside_tree() else node.transform


static func _most(counted: Dictionary) -> Variant:
	var best: Variant = counted.keys()[0]
	for key: Variant in counted:
		if (counted[key] as int) > (counted[best] as int):
			best = key
	return best
