class_name NpcGrid
extends RefCounted
## Nodes by where they are, so that nobody has to look at all of them to find those at a point.
##
## What moved is filed anew when somebody asks, so a node that moves every frame costs one filing a frame.

## Side of a cell in pixels: about a room.
const CELL := 256.0
## A node over more cells than this is kept apart and looked at in every question.
const MOST_CELLS := 64

var _bounds_of: Callable
var _cells: Dictionary[Vector2i, Array] = {}
var _wide: Array[Node2D] = []
var _filed: Dictionary[Node2D, Rect2i] = {}
var _moved: Dictionary[Node2D, bool] = {}


## [param bounds_of]: takes a node, returns its Rect2 in global coordinates.
func _init(bounds_of: Callable) -> void:
	_bounds_of = bounds_of


## A node that is new, or moved.
func put(node: Node2D) -> void:
	_moved[node] = true


## A node that is gone.
func erase(node: Node2D) -> void:
	_moved.erase(node)
	_take_out(node)


## Those that may be at a point, and some near by.
func at(point: Vector2) -> Array:
	_file()
	var here: Array = _cells.get(_cell(point), [])
	return here if _wide.is_empty() else here + _wide


## Those that may touch a rectangle, and some near by; each once when they are points.
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
		if cells.get_area() > MOST_CELLS:
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
	if cells.get_area() > MOST_CELLS:
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
