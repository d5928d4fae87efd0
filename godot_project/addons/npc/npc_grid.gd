class_name NpcGrid
extends RefCounted
## Finds places and objects by position without looking at all of them. It sees them from above.
##
## What has moved is sorted in again at the next question. So what moves in every frame costs one update per frame.

## An item over more cells than this is kept in a separate list and returned every time.
const MAX_CELLS := 64

var _side: float
var _cells: Dictionary[Vector2i, Array] = {}
var _wide: Array[RefCounted] = []
var _filed: Dictionary[RefCounted, Rect2i] = {}
var _moved: Dictionary[RefCounted, Rect2] = {}


## [param side] is the side of a cell: about a room.
func _init(side: float) -> void:
	_side = side


## Adds an item that covers [param area], or moves it there.
func put(item: RefCounted, area: Rect2) -> void:
	_moved[item] = area


## Removes an item.
func erase(item: RefCounted) -> void:
	_moved.erase(item)
	_take_out(item)


## Returns the items that may be at a point, and some others near it.
func at(point: Vector3) -> Array:
	_file()
	var here: Array = _cells.get(_cell(Vector2(point.x, point.z)), [])
	return here if _wide.is_empty() else here + _wide


## Returns the items that may be within a distance of a point, and some others near it. An item of size zero is returned
## once.
func near(point: Vector3, distance: float) -> Array:
	_file()
	var found: Array = _wide.duplicate()
	var cells := _cells_of(Rect2(point.x, point.z, 0.0, 0.0).grow(distance))
	for y: int in range(cells.position.y, cells.end.y):
		for x: int in range(cells.position.x, cells.end.x):
			found.append_array(_cells.get(Vector2i(x, y), []))
	return found


func _file() -> void:
	if _moved.is_empty():
		return
	for item: RefCounted in _moved:
		_take_out(item)
		var cells := _cells_of(_moved[item])
		_filed[item] = cells
		if cells.get_area() > MAX_CELLS:
			_wide.append(item)
			continue
		for y: int in range(cells.position.y, cells.end.y):
			for x: int in range(cells.position.x, cells.end.x):
				var cell := Vector2i(x, y)
				if not _cells.has(cell):
					_cells[cell] = []
				_cells[cell].append(item)
	_moved.clear()


func _take_out(item: RefCounted) -> void:
	if not _filed.has(item):
		return
	var cells := _filed[item]
	_filed.erase(item)
	if cells.get_area() > MAX_CELLS:
		_wide.erase(item)
		return
	for y: int in range(cells.position.y, cells.end.y):
		for x: int in range(cells.position.x, cells.end.x):
			_cells[Vector2i(x, y)].erase(item)


func _cells_of(area: Rect2) -> Rect2i:
	var from := _cell(area.position)
	return Rect2i(from, _cell(area.end) - from + Vector2i.ONE)


func _cell(position: Vector2) -> Vector2i:
	return Vector2i((position / _side).floor())
