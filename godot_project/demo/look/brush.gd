class_name DemoBrush
extends RefCounted
## Collects shapes and draws them all at once.
##
## Thousands of calls such as [method CanvasItem.draw_rect] cost the renderer time in every frame. A brush sends one list of
## triangles, so that a whole town is a single draw call. The edges of discs and lines fade out over a pixel.

const FEATHER := 0.7

## How wide the soft edges are, in the units of what is drawn.
var feather: float = FEATHER

var _points := PackedVector2Array()
var _colours := PackedColorArray()
var _indices := PackedInt32Array()


## Makes a brush for something that is shown larger, such as a portrait. Its edges stay as sharp as those of others.
static func for_scale(scale: float) -> DemoBrush:
	var made := DemoBrush.new()
	made.feather = FEATHER / maxf(scale, 1.0)
	return made


## Adds a rectangle. With [param below], the colour turns into that one towards the bottom.
func rect(area: Rect2, colour: Color, below: Color = Color.TRANSPARENT) -> void:
	var low := colour if below == Color.TRANSPARENT else below
	var end := area.end
	_add_fan([area.position, Vector2(end.x, area.position.y), end, Vector2(area.position.x, end.y)], [colour, colour, low, low])


## Adds a shape without dents.
func shape(points: PackedVector2Array, colour: Color) -> void:
	var colours := PackedColorArray()
	colours.resize(points.size())
	colours.fill(colour)
	_add_fan(points, colours)


## Adds a disc, or an ellipse if [param flat] is not 1.
func disc(at: Vector2, radius: float, colour: Color, flat: float = 1.0) -> void:
	var size := Vector2(radius, radius * flat)
	_add_rings(at, [size - Vector2.ONE * feather / 2.0, size + Vector2.ONE * feather], [colour, Color(colour, 0.0)])


## Adds a spot that fades out from its middle.
func glow(at: Vector2, radius: float, colour: Color, flat: float = 1.0) -> void:
	var size := Vector2(radius, radius * flat)
	_add_rings(at, [size * 0.4, size], [Color(colour, colour.a * 0.7), Color(colour, 0.0)], colour)


## Adds a line with soft edges.
func line(from: Vector2, to: Vector2, wide: float, colour: Color) -> void:
	var side := (to - from).orthogonal().normalized()
	var inner := side * maxf(wide / 2.0 - feather / 2.0, 0.1)
	var outer := side * (wide / 2.0 + feather / 2.0)
	var clear := Color(colour, 0.0)
	_add_fan([from - inner, to - inner, to + inner, from + inner], [colour, colour, colour, colour])
	_add_fan([from + inner, to + inner, to + outer, from + outer], [colour, colour, clear, clear])
	_add_fan([from - inner, to - inner, to - outer, from - outer], [colour, colour, clear, clear])


## Adds lines from point to point.
func lines(points: PackedVector2Array, wide: float, colour: Color) -> void:
	for i: int in points.size() - 1:
		line(points[i], points[i + 1], wide, colour)


## Adds the shapes of a table (see [DemoShapes]).
func shapes(table: Array, at: Vector2, size: float = 1.0) -> void:
	for entry: Array in table:
		if entry[0] is Array:
			shapes(entry, at, size)
		else:
			_add_entry(entry, at, size)


## Draws everything onto a canvas item. Call it in its [code]_draw[/code].
func flush(onto: CanvasItem) -> void:
	if not _indices.is_empty():
		RenderingServer.canvas_item_add_triangle_array(onto.get_canvas_item(), _indices, _points, _colours)


func _add_entry(entry: Array, at: Vector2, size: float) -> void:
	var colour: Color = entry[1]
	match entry[0]:
		"disc":
			disc(at + DemoShapes.vector(entry, 2) * size, DemoShapes.number(entry, 4) * size, colour)
		"rect":
			rect(DemoShapes.rect(entry, at, size), colour)
		"box":
			var area := DemoShapes.rect(entry, at, size)
			rect(Rect2(area.position + Vector2(2, 3), area.size), DemoPalette.SHADOW)
			rect(area, colour.darkened(0.4))
			rect(area.grow(-1.0), colour.lightened(0.08), colour.darkened(0.06))
		"area":
			var points := DemoShapes.points(entry, 2, at, size)
			for i: int in Geometry2D.triangulate_polygon(points):
				_indices.append(_points.size())
				_points.append(points[i])
				_colours.append(colour)
		"line":
			lines(DemoShapes.points(entry, 3, at, size), DemoShapes.number(entry, 2) * size, colour)
		"arc":
			lines(DemoShapes.arc(entry, at, size), DemoShapes.number(entry, 7) * size, colour)


func _add_fan(points: PackedVector2Array, colours: PackedColorArray) -> void:
	var first := _points.size()
	_points.append_array(points)
	_colours.append_array(colours)
	for i: int in range(1, points.size() - 1):
		_indices.append_array([first, first + i, first + i + 1])


## Adds rings around a point, each with a size and a colour, and fills the first.
func _add_rings(at: Vector2, sizes: Array[Vector2], colours: Array[Color], middle: Color = Color.TRANSPARENT) -> void:
	var steps := clampi(int(maxf(sizes[0].x, sizes[0].y) * 1.6 * FEATHER / feather) + 7, 8, 40)
	var first := _points.size()
	_points.append(at)
	_colours.append(colours[0] if middle == Color.TRANSPARENT else middle)
	for ring: int in sizes.size():
		for i: int in steps:
			_points.append(at + Vector2.from_angle(i * TAU / steps) * sizes[ring])
			_colours.append(colours[ring])
	for i: int in steps:
		var one := first + 1 + i
		var next := first + 1 + (i + 1) % steps
		_indices.append_array([first, one, next])
		for ring: int in range(1, sizes.size()):
			var out := ring * steps
			_indices.append_array([one + out - steps, one + out, next + out, one + out - steps, next + out, next + out - steps])
