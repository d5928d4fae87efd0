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

const ARC_POINTS := 6


## Draws shapes around [param at], [param size] times as large as they are listed.
static func draw(canvas: CanvasItem, shapes: Array, at: Vector2, size: float = 1.0, antialiased: bool = false) -> void:
	for shape: Array in shapes:
		if shape[0] is Array:
			draw(canvas, shape, at, size, antialiased)
		else:
			_draw_shape(canvas, shape, at, size, antialiased)


## Draws a rectangle with an edge and a shadow.
static func draw_box(canvas: CanvasItem, rect: Rect2, color: Color) -> void:
	canvas.draw_rect(Rect2(rect.position + Vector2(2, 3), rect.size), DemoPalette.SHADOW)
	canvas.draw_rect(rect, color)
	canvas.draw_rect(rect, color.darkened(0.35), false, 1.0)


## Scales each number and sets no transform: a transform would scale the blur of antialiased edges, too.
static func _draw_shape(canvas: CanvasItem, shape: Array, at: Vector2, size: float, antialiased: bool) -> void:
	var color: Color = shape[1]
	match shape[0]:
		"disc":
			canvas.draw_circle(at + _vector(shape, 2) * size, _number(shape, 4) * size, color, true, -1.0, antialiased)
		"rect":
			canvas.draw_rect(_rect(shape, at, size), color)
		"box":
			draw_box(canvas, _rect(shape, at, size), color)
		"area":
			canvas.draw_colored_polygon(_points(shape, 2, at, size), color)
		"line":
			canvas.draw_polyline(_points(shape, 3, at, size), color, _number(shape, 2) * size, antialiased)
		"arc":
			var center := at + _vector(shape, 2) * size
			var radius := _number(shape, 4) * size
			var width := _number(shape, 7) * size
			canvas.draw_arc(center, radius, _number(shape, 5), _number(shape, 6), ARC_POINTS, color, width, antialiased)


static func _points(shape: Array, from: int, at: Vector2, size: float) -> PackedVector2Array:
	var points := PackedVector2Array()
	for i: int in range(from, shape.size(), 2):
		points.append(at + _vector(shape, i) * size)
	return points


static func _rect(shape: Array, at: Vector2, size: float) -> Rect2:
	return Rect2(at + _vector(shape, 2) * size, _vector(shape, 4) * size)


static func _vector(shape: Array, i: int) -> Vector2:
	return Vector2(_number(shape, i), _number(shape, i + 1))


static func _number(shape: Array, i: int) -> float:
	return shape[i]
