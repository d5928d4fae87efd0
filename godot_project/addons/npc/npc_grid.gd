class_name NpcGrid
extends RefCounted
## Finds nodes by position without looking at all of them.
##
## A node that moved is sorted in again at the next question. So a node that moves in every frame costs one update per
## frame.

## The side of a cell in pixels: about a room.
const CELL := 256.0
## A node over more cells than this is kept in a separate list and returned every time.
const MAX_CELLS := 64

var _bounds_of: Callable
var _cells: Dictionary[Vector2i, Array] = {}
var _wide: Array[Node2D] = []
var _filed: Dictionary[Node2D, Rect2i] = {}
var _moved: Dictionary[Node2D, bool] = {}


## [param bounds_of] takes a node and returns its [Rect2] in global coordinates.
func _init(bounds_of: Callable) -> void:
	_bounds_of = bounds_of


## Adds a node, or marks it as moved.
func put(node: Node2D) -> void:
	_moved[node] = true


## Removes a node.
func erase(node: Node2D) -> void:
	_moved.erase(node)
	_take_out(node)


## Returns the nodes that may be at a point, and some others near it.
func at(point: Vector2) -> Array:
	_file()
	var here: Array = _cells.get(_cell(point), [])
	return here if _wide.is_empty() else here + _wide


## Returns the nodes that may touch a rectangle, and some others near it. A node of size zero is returned once.
func near(area: Rect2) -> Array:
	_file()
	var found: Array = _wide.duplicate()
	var cells := _cells_of(area)
	for y: int in range(cells.position.y, cells.end.y):
		for x: int in range(cells.position.x, cells.end.x):
			found.append_array(_cells.get(Vector2i(x, y), []))
	return found


func _file() -> void:
	if _moved.is_empty():
		return
	for node: Node2D in _moved:
		_take_out(node)
		var cells := _cells_of(_bounds_of.call(node))
		_filed[node] = cells
		if cells.get_area() > MAX_CELLS:
			_wide.append(node)
			continue
		for y: int in range(cells.position.y, cells.end.y):
			for x: int in range(cells.position.x, cells.end.x):
				var cell := Vector2i(x, y)
				if not _cells.has(cell):
					_cells[cell] = []
				_cells[cell].append(node)
	_moved.clear()


func _take_out(node: Node2D) -> void:
	if not _filed.has(node):
		return
	var cells := _filed[node]
	_filed.erase(node)
	if cells.get_area() > MAX_CELLS:
		_wide.erase(node)
		return
	for y: int in range(cells.position.y, cells.end.y):
		for x: int in range(cells.position.x, cells.end.x):
			_cells[Vector2i(x, y)].erase(node)


func _cells_of(area: Rect2) -> Rect2i:
	var from := _cell(area.position)
	return Rect2i(from, _cell(area.end) - from + Vector2i.ONE)


func _cell(point: Vector2) -> Vector2i:
	return Vector2i((point / CELL).floor())
