class_name DemoShapes
## Draws the simple shapes that the tables of [DemoPicture] and [DemoFurnitureShapes] list.
##
## A shape is an array: what it is, its [Color], and its numbers.
## [codeblock]
## ["disc", color, x, y, radius]
## ["rect", color, x, y, width, height]
## ["box", color, x, y, width, height]    # a rect with an edge and a shadow
## ["area", color, x1, y1, x2, y2, …]
## ["line", color, width, x1, y1, x2, y2, …]
## ["arc", color, x, y, radius, start_angle, end_angle, width]
## [/codeblock]
## An array of shapes may stand in place of a shape.

const ARC_POINTS := 7


## Draws shapes around [param at], [param size] times as large as they are listed, in one call.
static func draw(canvas: CanvasItem, shapes: Array, at: Vector2, size: float = 1.0) -> void:
	var brush := DemoBrush.new()
	brush.shapes(shapes, at, size)
	brush.flush(canvas)


## Returns a number of a shape.
static func number(shape: Array, i: int) -> float:
	return shape[i]


## Returns two numbers of a shape.
static func vector(shape: Array, i: int) -> Vector2:
	return Vector2(number(shape, i), number(shape, i + 1))


## Returns the rectangle of a shape.
static func rect(shape: Array, at: Vector2, size: float) -> Rect2:
	return Rect2(at + vector(shape, 2) * size, vector(shape, 4) * size)


## Returns the points of a shape, from a number on.
static func points(shape: Array, from: int, at: Vector2, size: float) -> PackedVector2Array:
	var found := PackedVector2Array()
	for i: int in range(from, shape.size(), 2):
		found.append(at + vector(shape, i) * size)
	return found


## Returns the points of an arc.
static func arc(shape: Array, at: Vector2, size: float) -> PackedVector2Array:
	var found := PackedVector2Array()
	for i: int in ARC_POINTS:
		var angle := lerpf(number(shape, 5), number(shape, 6), i / float(ARC_POINTS - 1))
		found.append(at + (vector(shape, 2) + Vector2.from_angle(angle) * number(shape, 4)) * size)
	return found
