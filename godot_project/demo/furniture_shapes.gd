class_name DemoFurnitureShapes
## What each kind of object in the town looks like, as shapes for [DemoShapes]. Objects that few towns have are in
## [DemoWareShapes], [DemoTradeShapes] and [DemoPublicShapes].

const WOOD := Color("7a5434")
const DARK_WOOD := Color("5b3c24")
const OAK := Color("8d5f38")
const PINE := Color("b58a54")
const TABLE_TOP := Color("9c6a3d")
const EARTH := Color("6a4a33")
const IRON := Color("6d6a70")
const DARK_IRON := Color("3d3b40")
const STEEL := Color("7e8a8c")
const WHITE := Color("e8ecec")
const RED := Color("c9574c")
const BLUE := Color("4f7cac")
const GREEN := Color("5c9e6d")
const VIOLET := Color("9a6fb0")
const LEAF := Color("55803f")
const PINK := Color("e2726c")
const YELLOW := Color("f3d36b")
const LILAC := Color("d79bd0")
const PALE := Color("f2f0ea")
const FIRE := Color("f08a3c")
const PLATES_OFF: Array = [
	["box", IRON, -9, -9, 18, 18],
	["disc", DARK_IRON, -4, -4, 3],
	["disc", DARK_IRON, 4, -4, 3],
	["disc", DARK_IRON, -4, 4, 3],
	["disc", DARK_IRON, 4, 4, 3],
]
const PLATES_ON: Array = [
	["box", IRON, -9, -9, 18, 18],
	["disc", FIRE, -4, -4, 3],
	["disc", FIRE, 4, -4, 3],
	["disc", FIRE, -4, 4, 3],
	["disc", FIRE, 4, 4, 3],
]
const BASIN: Array = [
	["box", Color("b9c4c6"), -9, -9, 18, 18],
	["disc", Color("e9f2f3"), 0, 1, 6],
	["disc", Color("cfd9da"), 0, 1, 4],
	["line", STEEL, 2, 0, -8, 0, -2],
]
const FULL_BASIN: Array = [
	["box", Color("b9c4c6"), -9, -9, 18, 18],
	["disc", Color("e9f2f3"), 0, 1, 6],
	["disc", DemoPalette.WATER_LIGHT, 0, 1, 4],
	["line", STEEL, 2, 0, -8, 0, -2],
]
const FRIDGE: Array = [
	["box", WHITE, -9, -9, 18, 18],
	["line", Color("a9b4b5"), 1.5, -9, -2, 9, -2],
	["line", STEEL, 2, 5, -7, 5, -4],
]
const TABLE: Array = [
	["rect", WOOD, -14.5, -4, 7, 8],
	["rect", WOOD, 7.5, -4, 7, 8],
	["disc", DemoPalette.SHADOW, 2, 3, 9.5],
	["disc", TABLE_TOP, 0, 0, 9.5],
	["disc", Color("b07c4b"), 0, 0, 7.5],
]
const WORKBENCH: Array = [
	["box", OAK, -11, -7, 22, 14],
	["rect", Color("d9bd8c"), -8, -3, 9, 3],
	["line", Color("4d4d52"), 2, 3, 3, 8, -3],
]
const BOOKSHELF: Array = [
	["box", WOOD, -10, -8, 20, 16],
	["rect", RED, -8.5, -6, 2.6, 5.5],
	["rect", BLUE, -5, -6, 2.6, 5.5],
	["rect", DemoPalette.ACCENT, -1.5, -6, 2.6, 5.5],
	["rect", DemoPalette.ACCENT, -8.5, 1, 2.6, 5.5],
	["rect", GREEN, -5, 1, 2.6, 5.5],
	["rect", VIOLET, -1.5, 1, 2.6, 5.5],
	["rect", GREEN, 2, -6, 2.6, 5.5],
	["rect", VIOLET, 5.5, -6, 2.6, 5.5],
	["rect", RED, 2, 1, 2.6, 5.5],
	["rect", BLUE, 5.5, 1, 2.6, 5.5],
]
const EMPTY_EASEL: Array = [
	["line", WOOD, 2, 0, -9, -7, 9],
	["line", WOOD, 2, 0, -9, 7, 9],
	["rect", DemoPalette.PAPER, -6, -7, 12, 10],
]
const LATHE: Array = [["box", Color("5d6b73"), -11, -5, 22, 10], ["rect", Color("c39b69"), -7, -2, 14, 4]]
const FLOWERS: Array = [
	["disc", LEAF, -8, -4.5, 2.6],
	["disc", PINK, -8, -6, 2.2],
	["disc", LEAF, 0, -4.5, 2.6],
	["disc", YELLOW, 0, -6, 2.2],
	["disc", LEAF, 8, -4.5, 2.6],
	["disc", LILAC, 8, -6, 2.2],
	["disc", LEAF, -8, 1.5, 2.6],
	["disc", PALE, -8, 0, 2.2],
	["disc", LEAF, 0, 1.5, 2.6],
	["disc", PINK, 0, 0, 2.2],
	["disc", LEAF, 8, 1.5, 2.6],
	["disc", YELLOW, 8, 0, 2.2],
	["disc", LEAF, -8, 7.5, 2.6],
	["disc", LILAC, -8, 6, 2.2],
	["disc", LEAF, 0, 7.5, 2.6],
	["disc", PALE, 0, 6, 2.2],
	["disc", LEAF, 8, 7.5, 2.6],
	["disc", PINK, 8, 6, 2.2],
]

## A kind that no table lists.
const OTHER: Array = [["box", Color("9c8a76"), -9, -9, 18, 18]]
## By kind.
const SHAPES: Dictionary[String, Array] = {
	"stove": PLATES_OFF,
	"oven": PLATES_OFF,
	"refrigerator": FRIDGE,
	"sink": BASIN,
	"washbasin": BASIN,
	"shower":
	[
		["box", Color("d5e4e8"), -9, -9, 18, 18],
		["line", Color("b6c8cd"), 1.5, -5, -5, -5, 7],
		["line", Color("b6c8cd"), 1.5, 0, -5, 0, 7],
		["line", Color("b6c8cd"), 1.5, 5, -5, 5, 7],
		["rect", STEEL, -7, -8, 14, 3],
	],
	"toilet": [["rect", Color("dde3e3"), -6, -9, 12, 6], ["disc", Color("f4f7f7"), 0, 2, 6.5], ["disc", Color("b9cdd3"), 0, 2, 4]],
	"table": TABLE,
	"desk": [["box", OAK, -11, -7, 22, 14], ["rect", DemoPalette.PAPER, -5, -4, 8, 6], ["line", RED, 1.5, 5, 3, 8, -4]],
	"workbench": WORKBENCH,
	"counter": [["box", OAK, -11, -7, 22, 14], ["rect", Color("4d4d52"), -8, -4, 5, 5], ["disc", DemoPalette.PAPER, 3, -1, 2.5]],
	"wardrobe":
	[
		["box", WOOD, -9, -9, 18, 18],
		["line", DARK_WOOD, 1.5, 0, -9, 0, 9],
		["disc", DemoPalette.ACCENT, -2.5, 0, 1.2],
		["disc", DemoPalette.ACCENT, 2.5, 0, 1.2],
	],
	"bookshelf": BOOKSHELF,
	"piano":
	[
		["box", Color("3b2a24"), -10, -7, 20, 14],
		["rect", DemoPalette.PAPER, -9, 1, 18, 5],
		["line", DemoPalette.INK, 1.5, -6, 1, -6, 4],
		["line", DemoPalette.INK, 1.5, -3, 1, -3, 4],
		["line", DemoPalette.INK, 1.5, 0, 1, 0, 4],
		["line", DemoPalette.INK, 1.5, 3, 1, 3, 4],
		["line", DemoPalette.INK, 1.5, 6, 1, 6, 4],
	],
	"easel": [EMPTY_EASEL, ["line", BLUE, 1.5, -4, 1, -1, -4, 1, -1, 4, -5]],
	"coffee machine":
	[["box", Color("8c3b33"), -8, -8, 16, 16], ["rect", Color("2d2422"), -5, -2, 10, 7], ["disc", DemoPalette.PAPER, 0, 3, 2.5]],
	"crates":
	[
		["box", PINE, -10, -8, 12, 12],
		["box", Color("c39b69"), -1, -2, 11, 11],
		["line", Color("8a6336"), 1.5, -10, -8, 2, 4],
		["line", Color("8a6336"), 1.5, -1, 9, 10, -2],
	],
	"lathe": [LATHE, ["disc", Color("394349"), -8, 0, 3.5]],
	"wood rack":
	[
		["rect", PINE, -10, -9, 20, 3.5],
		["rect", TABLE_TOP, -10, -4, 20, 3.5],
		["rect", PINE, -10, 1, 20, 3.5],
		["rect", TABLE_TOP, -10, 6, 20, 3.5],
	],
	"bench":
	[
		["rect", DemoPalette.SHADOW, -10, -3, 20, 8],
		["rect", OAK, -10, -6, 20, 3],
		["rect", OAK, -10, -2, 20, 3],
		["rect", OAK, -10, 2, 20, 3],
	],
	"flower bed": [["box", Color("4c3424"), -12, -10, 24, 20], FLOWERS],
	"well":
	[
		["disc", DemoPalette.SHADOW, 2, 3, 11],
		["disc", Color("8c8478"), 0, 0, 11],
		["disc", Color("35505c"), 0, 0, 7],
		["line", EARTH, 3, -11, -3, 11, -3],
	],
	"notice board":
	[
		["rect", EARTH, -10, -9, 20, 14],
		["rect", DemoPalette.PAPER, -8, -7, 7, 8],
		["rect", Color("f3d9a4"), 1, -6, 6, 6],
		["line", DARK_WOOD, 2.5, -7, 5, -7, 10],
		["line", DARK_WOOD, 2.5, 7, 5, 7, 10],
	],
}
## By kind, if it looks different in use.
const IN_USE: Dictionary[String, Array] = {
	"stove": PLATES_ON,
	"oven": PLATES_ON,
	"sink": FULL_BASIN,
	"washbasin": FULL_BASIN,
	"shower":
	[
		["box", Color("d5e4e8"), -9, -9, 18, 18],
		["line", DemoPalette.WATER, 1.5, -5, -5, -5, 7],
		["line", DemoPalette.WATER, 1.5, 0, -5, 0, 7],
		["line", DemoPalette.WATER, 1.5, 5, -5, 5, 7],
		["rect", STEEL, -7, -8, 14, 3],
	],
	"table": [TABLE, ["disc", DemoPalette.PAPER, -3, 0, 3], ["disc", RED, 4, -2, 2]],
	"lathe": [LATHE, ["disc", DemoPalette.ACCENT, -8, 0, 3.5]],
}
## By kind and state, if a state has a look of its own.
const IN_STATE: Dictionary[String, Dictionary] = {
	"refrigerator": {"empty": [FRIDGE, ["rect", DARK_IRON, -7, 0, 14, 7]]},
	"easel": {"empty": EMPTY_EASEL},
	"flower bed": {"dry": [["box", EARTH, -12, -10, 24, 20], FLOWERS]},
	"workbench":
	{
		"covered in shavings":
		[
			WORKBENCH,
			["arc", Color("eed9ab"), -8, 4, 1.8, 0, 1.4 * PI, 1.2],
			["arc", Color("eed9ab"), -4.8, 1, 1.8, 0, 1.4 * PI, 1.2],
			["arc", Color("eed9ab"), -1.6, -2, 1.8, 0, 1.4 * PI, 1.2],
			["arc", Color("eed9ab"), 1.6, 4, 1.8, 0, 1.4 * PI, 1.2],
			["arc", Color("eed9ab"), 4.8, 1, 1.8, 0, 1.4 * PI, 1.2],
			["arc", Color("eed9ab"), 8, -2, 1.8, 0, 1.4 * PI, 1.2],
		]
	},
}


## Returns the shapes of an object, by its kind or look.
static func of(kind: String, state: String, in_use: bool) -> Array:
	for states: Dictionary in [IN_STATE, DemoWareShapes.IN_STATE, DemoTradeShapes.IN_STATE, DemoPublicShapes.IN_STATE] as Array[Dictionary]:
		var of_states: Dictionary = states.get(kind, {})
		if of_states.has(state):
			return of_states[state]
	if in_use and IN_USE.has(kind):
		return IN_USE[kind]
	for shapes: Dictionary in [SHAPES, DemoWareShapes.SHAPES, DemoTradeShapes.SHAPES, DemoPublicShapes.SHAPES] as Array[Dictionary]:
		if shapes.has(kind):
			return shapes[kind]
	return OTHER


## Paints a pond with reeds and ducks.
static func paint_pond(brush: DemoBrush) -> void:
	for ring: Array in [[36.0, DemoPalette.SAND], [32.0, DemoPalette.WATER], [21.0, DemoPalette.WATER_LIGHT]] as Array[Array]:
		for lobe: Vector2 in [Vector2(-9, 6), Vector2(24, 9), Vector2(8, 10)] as Array[Vector2]:
			brush.disc(lobe, (ring[0] as float) * 0.92, ring[1] as Color, 0.72)
	for at: Vector2 in [Vector2(-36, 8), Vector2(-32, 16), Vector2(48, 4), Vector2(44, 22)] as Array[Vector2]:
		for reed: int in 4:
			brush.line(at + Vector2(reed * 2.5, 0), at + Vector2(reed * 2.8 - 1.0, -11 + reed % 2 * 3), 1.4, DemoPalette.LEAF)
	for at: Vector2 in [Vector2(-14, 16), Vector2(26, -6), Vector2(-4, -8)] as Array[Vector2]:
		brush.disc(at, 4.2, DemoPalette.LEAF_LIGHT, 0.6)
	for at: Vector2 in [Vector2(2, 16), Vector2(16, 4)] as Array[Vector2]:
		brush.disc(at, 3.8, DemoPalette.PAPER, 0.8)
		brush.disc(at + Vector2(3, -2.5), 2.3, DemoPalette.PAPER)
		brush.line(at + Vector2(4.5, -2.5), at + Vector2(7.5, -2.2), 1.8, DemoPalette.BEAK)
