class_name RecipeCells
extends GridMap
## A grid map made from lines of text: "#" is a wall, "." a floor of planks, and "," grass. Floors and walls stop bodies, and
## the navigation mesh is baked from them.
##
## In a game, draw the map in the editor instead, with the mesh library of your level. Its items need collision shapes.

const FLOOR := 0
const GRASS := 1
const WALL := 2
const ITEMS: Dictionary[String, int] = {".": FLOOR, ",": GRASS, "#": WALL}
const FLOOR_THICK := 0.2
const WALL_HIGH := 1.4

## The lines of the map, the farthest first.
@export var lines: PackedStringArray = []


func _ready() -> void:
	if not lines.is_empty():
		build(lines)


## Fills the map.
func build(from: PackedStringArray) -> void:
	mesh_library = _make_library()
	for z: int in from.size():
		for x: int in from[z].length():
			set_cell_item(Vector3i(x, 0, z), ITEMS[from[z][x]])


## Returns what is in the cell at a global position: [constant FLOOR], [constant GRASS] or [constant WALL].
func get_item_at(point: Vector3) -> int:
	var cell := local_to_map(to_local(point))
	return get_cell_item(Vector3i(cell.x, 0, cell.z))


func _make_library() -> MeshLibrary:
	var library := MeshLibrary.new()
	_add_item(library, FLOOR, Color("c39b69"), -FLOOR_THICK, 0.0)
	_add_item(library, GRASS, Color("7fa25c"), -FLOOR_THICK, 0.0)
	_add_item(library, WALL, Color("7a6150"), -FLOOR_THICK, WALL_HIGH)
	return library


## Adds a box as wide as a cell, from one height to another.
func _add_item(library: MeshLibrary, item: int, colour: Color, from: float, to: float) -> void:
	var size := Vector3(cell_size.x, to - from, cell_size.z)
	var middle := Transform3D(Basis.IDENTITY, Vector3(0, (from + to) / 2.0, 0))
	var paint := StandardMaterial3D.new()
	paint.albedo_color = colour
	var mesh := BoxMesh.new()
	mesh.size = size
	mesh.material = paint
	var shape := BoxShape3D.new()
	shape.size = size
	library.create_item(item)
	library.set_item_mesh(item, mesh)
	library.set_item_mesh_transform(item, middle)
	library.set_item_shapes(item, [shape, middle])
