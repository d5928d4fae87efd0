class_name DemoTradeShapes
## What the objects of trades look like, in shops, the tavern and workshops, as shapes for [DemoShapes].

const DOUGH_TROUGH: Array = [
	["box", DemoFurnitureShapes.PINE, -13, -7, 26, 14],
	["rect", Color("6a4a30"), -11, -5, 22, 10],
]
const KETTLE: Array = [
	["disc", DemoPalette.SHADOW, 2, 3, 12],
	["disc", Color("8a5430"), 0, 0, 11.5],
	["disc", Color("b5713c"), 0, -0.6, 10],
	["disc", Color("5b3a24"), 0, -0.6, 7.5],
	["rect", Color("8a5430"), -14, -1.5, 4, 3],
	["rect", Color("8a5430"), 10, -1.5, 4, 3],
]
const HEARTH: Array = [
	["box", Color("8f8678"), -14, -11, 28, 19],
	["rect", Color("a89e8e"), -12, -10, 24, 3],
	["rect", DemoPalette.INK, -9, -5, 18, 12],
	["rect", DemoFurnitureShapes.DARK_WOOD, -6, 4, 12, 2.4],
	["rect", DemoFurnitureShapes.WOOD, -4, 1.8, 9, 2.4],
]
const FORGE: Array = [
	["box", DemoPalette.BRICK, -12, -11, 24, 21],
	["rect", Color("7e3f30"), -12, -3, 24, 1.2],
	["rect", Color("7e3f30"), -12, 5, 24, 1.2],
	["rect", DemoPalette.INK, -8, -6, 16, 10],
	["rect", DemoFurnitureShapes.DARK_IRON, -4, -13, 8, 6],
]
const STEAMER: Array = [
	["box", DemoFurnitureShapes.PINE, -16, -6, 32, 12],
	["line", DemoFurnitureShapes.WOOD, 1, -15, -2, 15, -2],
	["line", DemoFurnitureShapes.WOOD, 1, -15, 2, 15, 2],
	["rect", DemoFurnitureShapes.DARK_IRON, -9, -6.5, 2, 13],
	["rect", DemoFurnitureShapes.DARK_IRON, 7, -6.5, 2, 13],
	["rect", Color("8a5430"), 13, -10, 5, 8],
]
## By kind, or by [member DemoFurniture.look].
const SHAPES: Dictionary[String, Array] = {
	"dough trough": DOUGH_TROUGH,
	"bar":
	[
		["box", DemoFurnitureShapes.DARK_WOOD, -15, -8, 30, 16],
		["rect", DemoFurnitureShapes.OAK, -14, -7, 28, 7],
		["rect", DemoFurnitureShapes.YELLOW, -11, -5, 3, 3.4],
		["rect", DemoFurnitureShapes.YELLOW, -4, -5, 3, 3.4],
		["rect", DemoFurnitureShapes.YELLOW, 6, -5, 3, 3.4],
		["rect", DemoFurnitureShapes.PALE, -11, -5.8, 3, 1.2],
		["rect", DemoFurnitureShapes.PALE, -4, -5.8, 3, 1.2],
		["rect", DemoFurnitureShapes.PALE, 6, -5.8, 3, 1.2],
		["disc", DemoFurnitureShapes.DARK_IRON, 11, -3.4, 1.8],
		["line", DemoFurnitureShapes.WOOD, 1, -7, 1, -7, 7],
		["line", DemoFurnitureShapes.WOOD, 1, 0, 1, 0, 7],
		["line", DemoFurnitureShapes.WOOD, 1, 7, 1, 7, 7],
	],
	"barrels":
	[
		["disc", DemoPalette.SHADOW, -4.5, -2, 6.4],
		["disc", DemoFurnitureShapes.WOOD, -6, -4, 6.4],
		["disc", DemoFurnitureShapes.OAK, -6, -4, 5],
		["line", DemoFurnitureShapes.DARK_IRON, 1, -11, -6.4, -1, -6.4],
		["line", DemoFurnitureShapes.DARK_IRON, 1, -11, -1.6, -1, -1.6],
		["disc", DemoFurnitureShapes.DARK_WOOD, -6, -4, 1.1],
		["disc", DemoPalette.SHADOW, 8, -1, 6.4],
		["disc", DemoFurnitureShapes.WOOD, 6.5, -3, 6.4],
		["disc", DemoFurnitureShapes.OAK, 6.5, -3, 5],
		["line", DemoFurnitureShapes.DARK_IRON, 1, 1.5, -5.4, 11.5, -5.4],
		["line", DemoFurnitureShapes.DARK_IRON, 1, 1.5, -0.6, 11.5, -0.6],
		["disc", DemoFurnitureShapes.DARK_WOOD, 6.5, -3, 1.1],
		["disc", DemoPalette.SHADOW, 1.5, 7, 6.4],
		["disc", DemoFurnitureShapes.WOOD, 0, 5, 6.4],
		["disc", DemoFurnitureShapes.OAK, 0, 5, 5],
		["line", DemoFurnitureShapes.DARK_IRON, 1, -5, 2.6, 5, 2.6],
		["line", DemoFurnitureShapes.DARK_IRON, 1, -5, 7.4, 5, 7.4],
		["disc", DemoFurnitureShapes.DARK_WOOD, 0, 5, 1.1],
	],
	"brew kettle": KETTLE,
	"fireplace": HEARTH,
	"dartboard":
	[
		["rect", DemoPalette.SHADOW, -8, -7, 19, 19],
		["disc", DemoFurnitureShapes.DARK_WOOD, 0, 0, 9.5],
		["disc", DemoFurnitureShapes.PALE, 0, 0, 8],
		["disc", DemoPalette.INK, 0, 0, 6.2],
		["disc", DemoFurnitureShapes.PALE, 0, 0, 4.4],
		["disc", DemoFurnitureShapes.GREEN, 0, 0, 2.6],
		["disc", DemoFurnitureShapes.RED, 0, 0, 1.3],
		["line", DemoFurnitureShapes.STEEL, 0.8, 2.4, -3, 5.6, -6],
		["line", DemoFurnitureShapes.STEEL, 0.8, -2, 1.4, -5.6, 3.4],
	],
	"forge":
	[
		FORGE,
		["disc", Color("4a4346"), -3, 0, 3],
		["disc", Color("3d3b40"), 3, 0.6, 3.2],
	],
	"anvil":
	[
		["disc", DemoPalette.SHADOW, 2, 6, 7.5],
		["disc", DemoFurnitureShapes.WOOD, 0, 4.5, 6.5],
		["disc", DemoFurnitureShapes.PINE, 0, 4.5, 5],
		["area", DemoFurnitureShapes.DARK_IRON, -11, -5, 7, -6, 10, -3, 5, -1, 3, 4, -3, 4, -4, -1, -8, -2],
		["rect", DemoFurnitureShapes.STEEL, -6, -6, 13, 1.6],
	],
	"trough":
	[
		["box", DemoFurnitureShapes.WOOD, -13, -6, 26, 12],
		["rect", Color("35505c"), -11, -4, 22, 8],
		["rect", DemoPalette.WATER, -10.5, -3.4, 21, 6.6],
		["line", DemoPalette.WATER_LIGHT, 1, -7, -1, -1, -1],
		["line", DemoPalette.WATER_LIGHT, 1, 2, 1.4, 7, 1.4],
	],
	"tool rack":
	[
		["rect", DemoPalette.SHADOW, -11, -8, 24, 18],
		["box", DemoFurnitureShapes.WOOD, -12, -10, 24, 4.4],
		["rect", DemoFurnitureShapes.PINE, -9, -6, 1.8, 11],
		["rect", DemoFurnitureShapes.PINE, -3.6, -6, 1.8, 11],
		["rect", DemoFurnitureShapes.PINE, 2, -6, 1.8, 11],
		["rect", DemoFurnitureShapes.PINE, 7.6, -6, 1.8, 11],
		["rect", DemoFurnitureShapes.STEEL, -10.4, 4, 4.6, 3.4],
		["area", DemoFurnitureShapes.STEEL, -5.4, 4, -0.4, 4, -2.7, 8.4],
		["rect", DemoFurnitureShapes.DARK_IRON, 0.6, 3, 4.6, 2.6],
		["area", DemoFurnitureShapes.STEEL, 6.2, 3.6, 11, 3.6, 11, 7.4, 8.6, 6],
	],
	"sewing machine":
	[
		["box", DemoFurnitureShapes.OAK, -12, -6, 24, 13],
		["rect", DemoFurnitureShapes.DARK_IRON, -7, -6, 13, 3.2],
		["rect", DemoFurnitureShapes.DARK_IRON, -7, -6, 3.4, 8.6],
		["rect", DemoFurnitureShapes.DARK_IRON, 3, -6, 2.6, 6],
		["disc", DemoPalette.ACCENT, 7, -3.6, 1.6],
		["rect", DemoFurnitureShapes.BLUE, -2, 2, 10, 3.6],
	],
	"steam box": STEAMER,
	"hull":
	[
		["rect", DemoFurnitureShapes.DARK_WOOD, -10, -12, 2.4, 24],
		["rect", DemoFurnitureShapes.DARK_WOOD, 8, -12, 2.4, 24],
		["area", DemoPalette.SHADOW, -17, 3, -9, -5, 14, -5, 23, 3, 14, 11, -9, 11],
		["area", DemoFurnitureShapes.WOOD, -20, 0, -11, -8.5, 12, -8.5, 21, 0, 12, 8.5, -11, 8.5],
		["area", Color("a5793f"), -15.5, 0, -9.5, -5.5, 10.8, -5.5, 16.5, 0, 10.8, 5.5, -9.5, 5.5],
		["line", DemoFurnitureShapes.DARK_WOOD, 1.4, -8, -5.4, -8, 5.4],
		["line", DemoFurnitureShapes.DARK_WOOD, 1.4, -3, -5.4, -3, 5.4],
		["line", DemoFurnitureShapes.DARK_WOOD, 1.4, 2, -5.4, 2, 5.4],
		["line", DemoFurnitureShapes.DARK_WOOD, 1.4, 7, -5.4, 7, 5.4],
		["line", DemoFurnitureShapes.PINE, 1.2, -15, 0, 16, 0],
	],
	"net rack":
	[
		["rect", DemoPalette.SHADOW, -10, -7, 24, 19],
		["rect", DemoFurnitureShapes.WOOD, -12, -10, 2.4, 20],
		["rect", DemoFurnitureShapes.WOOD, 9.6, -10, 2.4, 20],
		["line", DemoFurnitureShapes.WOOD, 2, -12, -8, 12, -8],
		["line", Color("e8e0c4"), 0.8, -10, -8, -5, 7],
		["line", Color("e8e0c4"), 0.8, -6, -8, -1, 7],
		["line", Color("e8e0c4"), 0.8, -2, -8, 3, 7],
		["line", Color("e8e0c4"), 0.8, 2, -8, 7, 7],
		["line", Color("e8e0c4"), 0.8, -5, -8, -10, 7],
		["line", Color("e8e0c4"), 0.8, -1, -8, -6, 7],
		["line", Color("e8e0c4"), 0.8, 3, -8, -2, 7],
		["line", Color("e8e0c4"), 0.8, 7, -8, 2, 7],
		["disc", Color("c98b4b"), -9, 7.6, 1.6],
		["disc", Color("c98b4b"), -3, 7.6, 1.6],
		["disc", Color("c98b4b"), 3, 7.6, 1.6],
		["disc", Color("c98b4b"), 8, 7.6, 1.6],
	],
	"smoker":
	[
		["rect", DemoPalette.SHADOW, -6, -9, 18, 22],
		["box", Color("5b4a3e"), -8, -9, 16, 19],
		["rect", Color("3f332b"), -4, 0, 8, 9],
		["disc", DemoPalette.ACCENT, 2.4, 4.6, 0.9],
		["rect", DemoFurnitureShapes.DARK_IRON, -3, -14, 6, 6],
		["disc", Color(1, 1, 1, 0.45), 1, -17, 3],
		["disc", Color(1, 1, 1, 0.3), 4, -21, 3.6],
	],
}
## By kind and state, if a state has a look of its own.
const IN_STATE: Dictionary[String, Dictionary] = {
	"dough trough":
	{
		"full of dough":
		[
			DOUGH_TROUGH,
			["disc", Color("e6d3ac"), -6, 0, 4.4],
			["disc", Color("e6d3ac"), 0, 0.4, 4.6],
			["disc", Color("e6d3ac"), 6, 0, 4.4],
			["disc", Color("f3e6c8"), -6, -1, 2.6],
			["disc", Color("f3e6c8"), 1, -0.8, 2.8],
			["disc", Color("f3e6c8"), 7, -1, 2.4],
		],
	},
	"brew kettle":
	{
		"boiling":
		[
			KETTLE,
			["disc", Color("e9d5ae"), -3, -2, 1.8],
			["disc", Color("e9d5ae"), 2, 1, 2.2],
			["disc", Color("e9d5ae"), 4, -3, 1.3],
			["disc", Color("e9d5ae"), -2, 3, 1.4],
		],
	},
	"fireplace":
	{
		"lit":
		[
			HEARTH,
			["area", Color("e0452f"), -6, 5, -3, -2, -1, 2, 1, -4, 3, 1, 5, -1, 6, 5],
			["area", Color("f9c440"), -3.4, 5, -1.4, 1, 0.6, -1, 3.4, 5],
		],
	},
	"forge":
	{
		"hot":
		[
			FORGE,
			["disc", Color("e0452f"), -2, -0.6, 4],
			["disc", DemoFurnitureShapes.FIRE, 2.6, -0.4, 3.4],
			["disc", Color("f9c440"), 0, -0.6, 2.2],
		],
	},
	"steam box":
	{
		"steaming":
		[
			STEAMER,
			["disc", Color(1, 1, 1, 0.6), -6, -9, 3],
			["disc", Color(1, 1, 1, 0.6), 0, -12, 4],
			["disc", Color(1, 1, 1, 0.6), 6, -9, 3.2],
			["disc", Color(1, 1, 1, 0.6), 14, -14, 4],
		],
	},
}
