@tool
extends RefCounted
## Makes nodes of the places and objects of a town file. It adds none of them to a scene, so that the dock can do that with undo.

const Known := preload("res://addons/npc/editor/known.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")
## How high the box of a place is in 3D, in metres. A town file is flat.
const HEIGHT := 3.0

## The nodes that go under a node of the scene, each with that node. All others are already in one of these.
var tops: Dictionary[Node, Node] = {}
## What was made, by address.
var made: Dictionary[String, Node] = {}

var _known: Known
var _cell: float
var _in_3d: bool
var _origin: Vector2


## Makes the nodes that a scene lacks of some addresses: for [param parent], or for the node of what they are in.
static func make(known: Known, scene: SceneNodes, addresses: PackedStringArray, parent: Node, cell: float, in_3d: bool) -> RefCounted:
	var maker := new()
	maker._known = known
	maker._cell = cell
	maker._in_3d = in_3d
	maker._origin = scene.get_origin(known, cell, in_3d)
	for address: String in addresses:
		if not scene.by_address.has(address):
			maker._make(address, scene.by_address.get(NpcPlaceCore.get_parent_address(address), parent) as Node)
	return maker


func _make(address: String, above: Node) -> void:
	var node := _make_node(_known.nodes[address])
	var around := NpcPlaceCore.get_parent_address(address)
	if made.has(around):
		above = made[around]
		above.add_child(node, true)
	else:
		tops[node] = above
	made[address] = node
	_place(node, _known.nodes[address], above)


func _make_node(told: Dictionary) -> Node:
	var node: Node
	if told["kind"] == "object":
		node = NpcObject3D.new() if _in_3d else NpcObject.new()
		node.set("states", PackedStringArray(told["states"] as Array))
		node.set("state", told["state"])
		node.set("actions", (told["actions"] as Dictionary).duplicate(true))
		var stand := (_vector(told["stand"] as Array) - _vector(told["at"] as Array)) * _cell
		node.set("stand", Vector3(stand.x, 0, stand.y) if _in_3d else stand)
	else:
		node = NpcPlace3D.new() if _in_3d else NpcPlace.new()
		var size := _size_of(told) * _cell
		node.set("size", Vector3(size.x, HEIGHT, size.y) if _in_3d else size)
		node.set("open", told.get("open", false))
		node.set("hours", told.get("hours", ""))
		node.set("owners", PackedStringArray(told.get("owners", []) as Array))
	node.set("address", told["address"])
	node.set("display_name", told["name"])
	node.set("capacity", int(told.get("capacity", 0) as float))
	node.name = ((told["address"] as String).get_slice(":", (told["address"] as String).count(":")).to_pascal_case())
	return node


## Puts a node where the file has it: a place of 2D begins there, one of 3D has its middle there.
func _place(node: Node, told: Dictionary, above: Node) -> void:
	var at := Vector2.ZERO
	if told["kind"] == "object":
		at = _vector(told["at"] as Array) + Vector2(0.5, 0.5)
	else:
		at = _vector(told["rect"] as Array) + (_size_of(told) / 2.0 if _in_3d else Vector2.ZERO)
	at = _origin + at * _cell
	if node is Node3D:
		var global := Vector3(at.x, _get_height(above), at.y)
		(node as Node3D).position = _to_world_3d(above).affine_inverse() * global
	else:
		(node as Node2D).position = _to_world_2d(above).affine_inverse() * at


## New nodes stand on the floor of what they are in.
func _get_height(above: Node) -> float:
	return _to_world_3d(above).origin.y


## A node that is not in the tree yet has no global transform.
func _to_world_3d(node: Node) -> Transform3D:
	var found := Transform3D.IDENTITY
	while node is Node3D:
		found = (node as Node3D).transform * found
		node = tops.get(node, node.get_parent())
	return found


func _to_world_2d(node: Node) -> Transform2D:
	var found := Transform2D.IDENTITY
	while node is Node2D:
		found = (node as Node2D).transform * found
		node = tops.get(node, node.get_parent())
	return found


static func _size_of(told: Dictionary) -> Vector2:
	var rect := told["rect"] as Array
	return Vector2(rect[2] as float, rect[3] as float)


static func _vector(numbers: Array) -> Vector2:
	return Vector2(numbers[0] as float, numbers[1] as float)
