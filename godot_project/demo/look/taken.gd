class_name DemoTaken
extends RefCounted
## What is covered on the screen. It answers quickly whether a rectangle is free, because it only looks at what is near.

const CELL := 48.0
const WIDE := 64
const HIGH := 40
## The cells begin this far outside the window.
const MARGIN := 480.0

var _cells: Array[Array] = []
var _used := PackedInt32Array()


func _init() -> void:
	_cells.resize(WIDE * HIGH)


## Removes everything.
func clear() -> void:
	for cell: int in _used:
		_cells[cell].clear()
	_used.clear()


## Covers a rectangle.
func add(box: Rect2) -> void:
	var from := _get_cell(box.position)
	var to := _get_cell(box.end)
	for y: int in range(from.y, to.y + 1):
		for x: int in range(from.x, to.x + 1):
			var cell := y * WIDE + x
			if _cells[cell].is_empty():
				_used.append(cell)
			_cells[cell].append(box)


## Covers several rectangles.
func add_all(boxes: Array[Rect2]) -> void:
	for box: Rect2 in boxes:
		add(box)


## Returns [code]true[/code] if a part of the rectangle is covered.
func hits(box: Rect2) -> bool:
	var from := _get_cell(box.position)
	var to := _get_cell(box.end)
	for y: int in range(from.y, to.y + 1):
		for x: int in range(from.x, to.x + 1):
			for other: Rect2 in _cells[y * WIDE + x]:
				if other.intersects(box):
					return true
	return false


static func _get_cell(at: Vector2) -> Vector2i:
	var cell := (at + Vector2(MARGIN, MARGIN)) / CELL
	return Vector2i(clampi(int(cell.x), 0, WIDE - 1), clampi(int(cell.y), 0, HIGH - 1))
