class_name RecipeBlocks
extends GridMap
## A [GridMap] made from lines of text: "#" is a wall, "," is grass, and every other letter a floor. One walks on both.
##
## In a game, draw the map in the editor, with a [MeshLibrary] of your own. Its items for the ground need a navigation mesh,
## and those for walls a shape. Set [member GridMap.bake_navigation], so that the map gives its cells' navigation meshes to
## Godot's navigation.

const CELL := 2.0
const GROUND := 0
const WALL := 1
const GRASS := 2

## The lines of the map.
@export var lines: PackedStringArray = []


func _ready() -> void:
	cell_size = Vector3(CELL, CELL, CELL)
	mesh_library = _make_library()
	bake_navigation = true
	for z: int in lines.size():
		for x: int in lines[z].length():
			set_cell_item(Vector3i(x, -1, z), GRASS if lines[z][x] == "," else GROUND)
			if lines[z][x] == "#":
				set_cell_item(Vector3i(x, 0, z), WALL)


func _make_library() -> MeshLibrary:
	var library := MeshLibrary.new()
	_add_item(library, GROUND, Color("a97f50"), Vector3(CELL, CELL, CELL), Vector3.ZERO)
	_add_item(library, GRASS, Color("7d9f58"), Vector3(CELL, CELL, CELL), Vector3.ZERO)
	_add_item(library, WALL, Color("5f4a3c"), Vector3(CELL, 1.2, CELL), Vector3(0, -0.4, 0))
	var half := CELL / 2.0
	var top := NavigationMesh.new()
	top.vertices = [Vector3(-half, half, -half), Vector3(half, half, -half), Vector3(half, half, half), Vector3(-half, half, half)]
	top.add_polygon(PackedInt32Array([0, 1, 2, 3]))
	for walked_on: int in [GROUND, GRASS] as Array[int]:
		library.set_item_navigation_mesh(walked_on, top)
	return library


static func _add_item(library: MeshLibrary, id: int, colour: Color, size: Vector3, at: Vector3) -> void:
	var mesh := BoxMesh.new()
	mesh.size = size
	var material := StandardMaterial3D.new()
	material.albedo_color = colour
	mesh.material = material
	var shape := BoxShape3D.new()
	shape.size = size
	var moved := Transform3D(Basis.IDENTITY, at)
	library.create_item(id)
	library.set_item_mesh(id, mesh)
	library.set_item_mesh_transform(id, moved)
	library.set_item_shapes(id, [shape, moved])
