class_name DemoPicture
## Draws the pictures of what people do. [DemoPictures] chooses them. They are not emoji, because few fonts have those.

const WOOD := Color("8d5f38")
const IRON := Color("4d4d52")
const INK := Color("2b221c")
const PAPER := Color("f7efdf")
const RED := Color("c9574c")
const BLUE := Color("4f7cac")
const GREEN := Color("5c9e6d")
const GOLD := Color("e6ad55")
## The shapes of each picture, in a square from -8 to 8. See [DemoShapes].
const SHAPES: Dictionary[String, Array] = {
	"moon": [["disc", Color("6d7fb3"), 0, 0, 6.5], ["disc", PAPER, 3, -2.5, 5]],
	"shirt": [["area", RED, -7, -4, -3, -6, 3, -6, 7, -4, 6, 0, 4, -1, 4, 6, -4, 6, -4, -1, -6, 0]],
	"pencil": [["line", GOLD, 4, -4, 4, 5, -5], ["line", INK, 3, -6, 6, -4.5, 4.5]],
	"book":
	[
		["area", Color("ffffff"), -7, -5, 0, -4, 0, 6, -7, 5],
		["area", Color("efe3cb"), 7, -5, 0, -4, 0, 6, 7, 5],
		["line", Color("8c3b33"), 1.5, -7, -5, 0, -4, 7, -5, 7, 5, 0, 6, -7, 5, -7, -5],
		["line", Color("8c3b33"), 1.5, 0, -4, 0, 6],
	],
	"paper":
	[
		["area", Color("ffffff"), -5, -7, 5, -7, 5, 7, -5, 7],
		["line", Color("9c8a76"), 1.2, -5, -7, 5, -7, 5, 7, -5, 7, -5, -7],
		["line", INK, 1.2, -3, -3, 3, -3],
		["line", INK, 1.2, -3, 0, 3, 0],
		["line", INK, 1.2, -3, 3, 1, 3]
	],
	"words":
	[
		["area", BLUE, -7, -6, 7, -6, 7, 3, 0, 3, -4, 7, -4, 3, -7, 3],
		["disc", Color("ffffff"), -3, -1.5, 1.2],
		["disc", Color("ffffff"), 0.5, -1.5, 1.2],
		["disc", Color("ffffff"), 4, -1.5, 1.2]
	],
	"chair": [["line", WOOD, 2.2, -4, -7, -4, 7], ["line", WOOD, 2.2, -4, 1, 4, 1, 4, 7], ["line", WOOD, 2.2, -4, -5, -2, -5]],
	"flask":
	[
		["area", Color("cfe0e6"), -2, -7, 2, -7, 2, -2, 6, 6, -6, 6, -2, -2],
		["area", GREEN, -3.6, 1, 3.6, 1, 6, 6, -6, 6],
		["line", Color("7e8a8c"), 1.2, -3, -7, 3, -7]
	],
	"thread":
	[
		["area", RED, -5, -4, 3, -4, 3, 4, -5, 4],
		["line", WOOD, 2.5, -6, -5, 4, -5],
		["line", WOOD, 2.5, -6, 5, 4, 5],
		["line", IRON, 1.4, 7, -7, 6, 7]
	],
	"drop":
	[["area", Color("6fa3b5"), 0, -8, 4.6, 0, -4.6, 0], ["disc", Color("6fa3b5"), 0, 2, 5], ["disc", Color("b9dbe5"), -1.6, 3, 1.4]],
	"plate":
	[["disc", Color("cfc3ae"), 0, 0, 7], ["disc", Color("ffffff"), 0, 0, 5], ["disc", RED, -1, -1, 2], ["disc", GREEN, 1.6, 1.2, 1.6]],
	"pan":
	[
		["line", IRON, 2.5, 3, 1, 8, 4],
		["disc", IRON, -2, 0, 5.8],
		["disc", Color("ffffff"), -2, 0, 3.8],
		["disc", Color("f3c34b"), -2, 0, 1.8]
	],
	"loaf":
	[
		["area", Color("b9793a"), -7, 5, -7, -1, -4, -5, 4, -5, 7, -1, 7, 5],
		["line", Color("e9c48b"), 1.6, -4, -3, -2, 1],
		["line", Color("e9c48b"), 1.6, 0, -3, 2, 1],
		["line", Color("e9c48b"), 1.6, 4, -3, 5.5, 0]
	],
	"cup":
	[
		["area", BLUE, -6, -2, 3, -2, 2, 6, -5, 6],
		["line", BLUE, 1.8, 3, 0, 6, 0, 6, 3, 2.5, 4],
		["line", Color("b5a694"), 1.5, -4, -4, -3, -7],
		["line", Color("b5a694"), 1.5, 0, -4, 1, -7]
	],
	"mug":
	[
		["area", Color("c9953b"), -6, -3, 3, -3, 3, 7, -6, 7],
		["line", Color("c9953b"), 2, 3, -1, 6.5, -1, 6.5, 4, 3, 4],
		["disc", Color("ffffff"), -4, -4, 2.4],
		["disc", Color("ffffff"), -1, -5, 2.6],
		["disc", Color("ffffff"), 2, -4, 2.2]
	],
	"coin": [["disc", Color("a9772a"), 0, 0.6, 6.6], ["disc", Color("f3d36b"), 0, 0, 5.6], ["line", Color("a9772a"), 1.6, 0, -3, 0, 3]],
	"box":
	[
		["area", Color("b58a54"), -7, -4, 7, -4, 7, 6, -7, 6],
		["area", Color("d2ab74"), -7, -4, -5, -7, 5, -7, 7, -4],
		["line", Color("8a6336"), 1.5, 0, -7, 0, 0]
	],
	"flame":
	[["area", Color("e0452f"), 0, -8, 5, 0, 4.5, 5, -4.5, 5, -5, 0, -2, -2], ["area", Color("f9c440"), 0.5, -2, 3, 3, 2, 6, -2, 6, -3, 3]],
	"dart": [["disc", IRON, 0, 0, 7], ["disc", PAPER, 0, 0, 5.2], ["disc", RED, 0, 0, 3.2], ["disc", GOLD, 0, 0, 1.3]],
	"cards": [["area", RED, -6, -5, 1, -7, 4, 4, -3, 6], ["area", Color("ffffff"), -1, -5, 6, -3, 3, 8, -4, 6], ["disc", INK, 1, 1.5, 1.6]],
	"hammer": [["line", WOOD, 2.6, -5, 7, 2, -2], ["line", IRON, 4.4, -2, -6, 6, 0]],
	"saw":
	[
		["area", Color("a9b4b5"), -8, 0, 3, -4, 3, 4, -8, 3],
		["line", IRON, 1.2, -8, 3, -6, 5, -5, 3.2, -3, 5.2, -2, 3.5, 0, 5.5, 1, 3.8],
		["line", WOOD, 3, 3, -4, 7, -3, 7, 3, 3, 4]
	],
	"brush": [["line", WOOD, 2.2, 6, -7, 0, 0], ["area", BLUE, 1, -2, 2, 1, -2, 5, -7, 7, -4, 2]],
	"leaf": [["disc", GREEN, -3, 0, 4], ["disc", Color("75b383"), 3, -3, 4], ["line", Color("3f7350"), 2, 0, 7, 0, -2]],
	"egg": [["disc", Color("e9d5ae"), 0, 1.6, 5], ["area", Color("e9d5ae"), -4.4, -0.6, -2.2, -5.4, 0, -7, 2.2, -5.4, 4.4, -0.6]],
	"milk":
	[
		["area", Color("ffffff"), -2.5, -7, 2.5, -7, 2.5, -3, 5, 0, 5, 7, -5, 7, -5, 0, -2.5, -3],
		["line", Color("7e9bb0"), 1.3, -2.5, -7, 2.5, -7, 2.5, -3, 5, 0, 5, 7, -5, 7, -5, 0, -2.5, -3, -2.5, -7]
	],
	"bucket":
	[
		["area", Color("7e8a8c"), -6, -2, 6, -2, 4.5, 7, -4.5, 7],
		["line", IRON, 1.4, -6, -2, -4, -6, 4, -6, 6, -2],
		["line", Color("8fbecb"), 2, -5, -2, 5, -2]
	],
	"candle":
	[
		["area", Color("ffffff"), -2.2, -1, 2.2, -1, 2.2, 7, -2.2, 7],
		["line", Color("b5a694"), 1, -2.2, -1, -2.2, 7, 2.2, 7, 2.2, -1],
		["area", Color("f08a3c"), 0, -8, 2.2, -3.6, 0, -2, -2.2, -3.6]
	],
	"bell":
	[
		["area", Color("c9953b"), -2, -6, 2, -6, 4, 0, 6, 4, -6, 4, -4, 0],
		["disc", Color("8a6336"), 0, 5.6, 1.8],
		["disc", Color("c9953b"), 0, -6, 1.6]
	],
	"note": [["disc", INK, -3, 4, 3], ["line", INK, 2, -0.8, 4, -0.8, -6, 5, -4]],
	"fish":
	[["area", BLUE, -6, 0, -2, -4, 3, -3, 5, 0, 3, 3, -2, 4], ["area", BLUE, 4, 0, 8, -4, 8, 4], ["disc", Color("ffffff"), -3, -1, 1]],
	"boat": [["area", WOOD, -8, 1, 8, 1, 5, 6, -5, 6], ["line", INK, 1.5, 0, 1, 0, -7], ["area", Color("ffffff"), 1, -7, 6, -1, 1, -1]],
	"broom": [["line", WOOD, 2, 5, -7, -1, 1], ["area", Color("c9953b"), -1, -1, 2, 2, -2, 7, -7, 3]],
	"hourglass":
	[
		["area", GOLD, -5, -7, 5, -7, 0, 0],
		["area", GOLD, 0, 0, 5, 7, -5, 7],
		["line", WOOD, 1.8, -6, -7, 6, -7],
		["line", WOOD, 1.8, -6, 7, 6, 7]
	],
	"steps": [["disc", WOOD, -3, 4, 2.8], ["disc", WOOD, -3, 0, 1.7], ["disc", WOOD, 3, -2, 2.8], ["disc", WOOD, 3, -6, 1.7]],
	"dots": [["disc", Color("b5a694"), -5, 1, 1.8], ["disc", Color("b5a694"), 0, 1, 1.8], ["disc", Color("b5a694"), 5, 1, 1.8]],
}


## Draws a picture around a point, 16 pixels wide times [param size].
static func draw(canvas: CanvasItem, at: Vector2, picture: String, size: float = 1.0) -> void:
	DemoShapes.draw(canvas, SHAPES[picture], at, size)
