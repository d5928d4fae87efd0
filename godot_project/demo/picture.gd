class_name DemoPicture
## Draws the little pictures of what people do, which DemoPictures chooses. They are ours: no font is asked for them.

const WOOD := "8d5f38"
const IRON := "4d4d52"
const INK := "2b221c"
const PAPER := "f7efdf"
const RED := "c9574c"
const BLUE := "4f7cac"
const GREEN := "5c9e6d"
const GOLD := "e6ad55"
## What each consists of, in a square from -8 to 8: a disc (colour, x, y, radius), an area (colour, points), a line (colour, width,
## points).
const SHAPES := {
	"moon": [["disc", "6d7fb3", 0, 0, 6.5], ["disc", PAPER, 3, -2.5, 5]],
	"shirt": [["area", RED, -7, -4, -3, -6, 3, -6, 7, -4, 6, 0, 4, -1, 4, 6, -4, 6, -4, -1, -6, 0]],
	"pencil": [["line", GOLD, 4, -4, 4, 5, -5], ["line", INK, 3, -6, 6, -4.5, 4.5]],
	"book":
	[
		["area", "ffffff", -7, -5, 0, -4, 0, 6, -7, 5],
		["area", "efe3cb", 7, -5, 0, -4, 0, 6, 7, 5],
		["line", "8c3b33", 1.5, -7, -5, 0, -4, 7, -5, 7, 5, 0, 6, -7, 5, -7, -5],
		["line", "8c3b33", 1.5, 0, -4, 0, 6],
	],
	"paper":
	[
		["area", "ffffff", -5, -7, 5, -7, 5, 7, -5, 7],
		["line", "9c8a76", 1.2, -5, -7, 5, -7, 5, 7, -5, 7, -5, -7],
		["line", INK, 1.2, -3, -3, 3, -3],
		["line", INK, 1.2, -3, 0, 3, 0],
		["line", INK, 1.2, -3, 3, 1, 3]
	],
	"words":
	[
		["area", BLUE, -7, -6, 7, -6, 7, 3, 0, 3, -4, 7, -4, 3, -7, 3],
		["disc", "ffffff", -3, -1.5, 1.2],
		["disc", "ffffff", 0.5, -1.5, 1.2],
		["disc", "ffffff", 4, -1.5, 1.2]
	],
	"chair": [["line", WOOD, 2.2, -4, -7, -4, 7], ["line", WOOD, 2.2, -4, 1, 4, 1, 4, 7], ["line", WOOD, 2.2, -4, -5, -2, -5]],
	"flask":
	[
		["area", "cfe0e6", -2, -7, 2, -7, 2, -2, 6, 6, -6, 6, -2, -2],
		["area", GREEN, -3.6, 1, 3.6, 1, 6, 6, -6, 6],
		["line", "7e8a8c", 1.2, -3, -7, 3, -7]
	],
	"thread":
	[
		["area", RED, -5, -4, 3, -4, 3, 4, -5, 4],
		["line", WOOD, 2.5, -6, -5, 4, -5],
		["line", WOOD, 2.5, -6, 5, 4, 5],
		["line", IRON, 1.4, 7, -7, 6, 7]
	],
	"drop": [["area", "6fa3b5", 0, -8, 4.6, 0, -4.6, 0], ["disc", "6fa3b5", 0, 2, 5], ["disc", "b9dbe5", -1.6, 3, 1.4]],
	"plate": [["disc", "cfc3ae", 0, 0, 7], ["disc", "ffffff", 0, 0, 5], ["disc", RED, -1, -1, 2], ["disc", GREEN, 1.6, 1.2, 1.6]],
	"pan": [["line", IRON, 2.5, 3, 1, 8, 4], ["disc", IRON, -2, 0, 5.8], ["disc", "ffffff", -2, 0, 3.8], ["disc", "f3c34b", -2, 0, 1.8]],
	"loaf":
	[
		["area", "b9793a", -7, 5, -7, -1, -4, -5, 4, -5, 7, -1, 7, 5],
		["line", "e9c48b", 1.6, -4, -3, -2, 1],
		["line", "e9c48b", 1.6, 0, -3, 2, 1],
		["line", "e9c48b", 1.6, 4, -3, 5.5, 0]
	],
	"cup":
	[
		["area", BLUE, -6, -2, 3, -2, 2, 6, -5, 6],
		["line", BLUE, 1.8, 3, 0, 6, 0, 6, 3, 2.5, 4],
		["line", "b5a694", 1.5, -4, -4, -3, -7],
		["line", "b5a694", 1.5, 0, -4, 1, -7]
	],
	"mug":
	[
		["area", "c9953b", -6, -3, 3, -3, 3, 7, -6, 7],
		["line", "c9953b", 2, 3, -1, 6.5, -1, 6.5, 4, 3, 4],
		["disc", "ffffff", -4, -4, 2.4],
		["disc", "ffffff", -1, -5, 2.6],
		["disc", "ffffff", 2, -4, 2.2]
	],
	"coin": [["disc", "a9772a", 0, 0.6, 6.6], ["disc", "f3d36b", 0, 0, 5.6], ["line", "a9772a", 1.6, 0, -3, 0, 3]],
	"box":
	[
		["area", "b58a54", -7, -4, 7, -4, 7, 6, -7, 6],
		["area", "d2ab74", -7, -4, -5, -7, 5, -7, 7, -4],
		["line", "8a6336", 1.5, 0, -7, 0, 0]
	],
	"flame": [["area", "e0452f", 0, -8, 5, 0, 4.5, 5, -4.5, 5, -5, 0, -2, -2], ["area", "f9c440", 0.5, -2, 3, 3, 2, 6, -2, 6, -3, 3]],
	"dart": [["disc", IRON, 0, 0, 7], ["disc", PAPER, 0, 0, 5.2], ["disc", RED, 0, 0, 3.2], ["disc", GOLD, 0, 0, 1.3]],
	"cards": [["area", RED, -6, -5, 1, -7, 4, 4, -3, 6], ["area", "ffffff", -1, -5, 6, -3, 3, 8, -4, 6], ["disc", INK, 1, 1.5, 1.6]],
	"hammer": [["line", WOOD, 2.6, -5, 7, 2, -2], ["line", IRON, 4.4, -2, -6, 6, 0]],
	"saw":
	[
		["area", "a9b4b5", -8, 0, 3, -4, 3, 4, -8, 3],
		["line", IRON, 1.2, -8, 3, -6, 5, -5, 3.2, -3, 5.2, -2, 3.5, 0, 5.5, 1, 3.8],
		["line", WOOD, 3, 3, -4, 7, -3, 7, 3, 3, 4]
	],
	"brush": [["line", WOOD, 2.2, 6, -7, 0, 0], ["area", BLUE, 1, -2, 2, 1, -2, 5, -7, 7, -4, 2]],
	"leaf": [["disc", GREEN, -3, 0, 4], ["disc", "75b383", 3, -3, 4], ["line", "3f7350", 2, 0, 7, 0, -2]],
	"egg": [["disc", "e9d5ae", 0, 1.6, 5], ["area", "e9d5ae", -4.4, -0.6, -2.2, -5.4, 0, -7, 2.2, -5.4, 4.4, -0.6]],
	"milk":
	[
		["area", "ffffff", -2.5, -7, 2.5, -7, 2.5, -3, 5, 0, 5, 7, -5, 7, -5, 0, -2.5, -3],
		["line", "7e9bb0", 1.3, -2.5, -7, 2.5, -7, 2.5, -3, 5, 0, 5, 7, -5, 7, -5, 0, -2.5, -3, -2.5, -7]
	],
	"bucket":
	[
		["area", "7e8a8c", -6, -2, 6, -2, 4.5, 7, -4.5, 7],
		["line", IRON, 1.4, -6, -2, -4, -6, 4, -6, 6, -2],
		["line", "8fbecb", 2, -5, -2, 5, -2]
	],
	"candle":
	[
		["area", "ffffff", -2.2, -1, 2.2, -1, 2.2, 7, -2.2, 7],
		["line", "b5a694", 1, -2.2, -1, -2.2, 7, 2.2, 7, 2.2, -1],
		["area", "f08a3c", 0, -8, 2.2, -3.6, 0, -2, -2.2, -3.6]
	],
	"bell": [["area", "c9953b", -2, -6, 2, -6, 4, 0, 6, 4, -6, 4, -4, 0], ["disc", "8a6336", 0, 5.6, 1.8], ["disc", "c9953b", 0, -6, 1.6]],
	"note": [["disc", INK, -3, 4, 3], ["line", INK, 2, -0.8, 4, -0.8, -6, 5, -4]],
	"fish": [["area", BLUE, -6, 0, -2, -4, 3, -3, 5, 0, 3, 3, -2, 4], ["area", BLUE, 4, 0, 8, -4, 8, 4], ["disc", "ffffff", -3, -1, 1]],
	"boat": [["area", WOOD, -8, 1, 8, 1, 5, 6, -5, 6], ["line", INK, 1.5, 0, 1, 0, -7], ["area", "ffffff", 1, -7, 6, -1, 1, -1]],
	"broom": [["line", WOOD, 2, 5, -7, -1, 1], ["area", "c9953b", -1, -1, 2, 2, -2, 7, -7, 3]],
	"hourglass":
	[
		["area", GOLD, -5, -7, 5, -7, 0, 0],
		["area", GOLD, 0, 0, 5, 7, -5, 7],
		["line", WOOD, 1.8, -6, -7, 6, -7],
		["line", WOOD, 1.8, -6, 7, 6, 7]
	],
	"steps": [["disc", WOOD, -3, 4, 2.8], ["disc", WOOD, -3, 0, 1.7], ["disc", WOOD, 3, -2, 2.8], ["disc", WOOD, 3, -6, 1.7]],
	"dots": [["disc", "b5a694", -5, 1, 1.8], ["disc", "b5a694", 0, 1, 1.8], ["disc", "b5a694", 5, 1, 1.8]],
}


## Draws one around a point, in a square of 16 pixels times the scale.
static func draw(canvas: CanvasItem, at: Vector2, picture: String, size: float = 1.0) -> void:
	for shape: Array in SHAPES[picture] as Array:
		var colour := Color(str(shape[1]))
		match shape[0]:
			"disc":
				canvas.draw_circle(at + _point(shape, 2) * size, _number(shape, 4) * size, colour, true, -1.0, true)
			"area":
				canvas.draw_colored_polygon(_points(shape, 2, at, size), colour)
			"line":
				canvas.draw_polyline(_points(shape, 3, at, size), colour, _number(shape, 2) * size, true)


static func _points(shape: Array, from: int, at: Vector2, size: float) -> PackedVector2Array:
	var points := PackedVector2Array()
	for i: int in range(from, shape.size(), 2):
		points.append(at + _point(shape, i) * size)
	return points


static func _point(shape: Array, i: int) -> Vector2:
	return Vector2(_number(shape, i), _number(shape, i + 1))


static func _number(shape: Array, i: int) -> float:
	return float(shape[i])
