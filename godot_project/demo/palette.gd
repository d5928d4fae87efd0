class_name DemoPalette
## The colors of the demo.

const GRASS := Color("82a75f")
const GRASS_DARK := Color("6d9552")
const GRASS_LIGHT := Color("98ba6d")
const LAWN := Color("8db565")
const EARTH := Color("9a7350")
const SAND := Color("d6c08e")
const PATH := Color("d9c39b")
const PATH_EDGE := Color("bb9f71")
const WALL := Color("54402f")
const WALL_TOP := Color("735a48")
const WALLPAPER := Color("d9c7a6")
const TIMBER := Color("6b4a30")
const BRICK := Color("a8553f")
const GLASS := Color("a9cbd6")
const DOOR := Color("a9794a")
const IRON := Color("3c3a41")
const LAMP := Color("f6d58a")
const SHADOW := Color(0.10, 0.09, 0.12, 0.24)
const WATER := Color("5f9db4")
const WATER_LIGHT := Color("8fbecb")
const LEAF := Color("5c8a45")
const LEAF_LIGHT := Color("84b05a")
const LEAF_WARM := Color("93a545")
const FIR := Color("3f6e50")
const BARK := Color("6f4c31")
const BLOSSOM := Color("f5c6cf")
const BEAK := Color("e69138")
const BLANKET := Color("7c93b8")
const TROUSERS := Color("463b3a")
const BLUSH := Color("d98472")
const STRAW := Color("e2c27c")
const INK := Color("2b221c")
const PAPER := Color("f7efdf")
const PANEL := Color("2a2320")
const PANEL_LIGHT := Color("382f2a")
const TEXT := Color("f3e9d8")
const TEXT_DIM := Color("b5a694")
const ACCENT := Color("e6ad55")
const BAD := Color("f0a79f")

const WOOD: Array[Color] = [Color("cfa877"), Color("c39b69")]
const TILE: Array[Color] = [Color("dfe3dc"), Color("cdd5d0")]
const CREAM: Array[Color] = [Color("ead9b8"), Color("dfcaa2")]
const STONE: Array[Color] = [Color("bdb3a2"), Color("b1a695")]

## Houses have these in turn.
const ROOFS: Array[Color] = [Color("b4614b"), Color("5f7688"), Color("a8763f"), Color("7c5a74"), Color("6d8058"), Color("96524e")]
const PLASTER: Array[Color] = [Color("efe3c8"), Color("e6d3b3"), Color("dfe0d0"), Color("eed9c2")]
const RUGS: Array[Color] = [Color("a9524a"), Color("4f7480"), Color("8a6a8f"), Color("b08644")]

## Each person has one of these.
const COATS: Array[Color] = [
	Color("c9574c"),
	Color("4f7cac"),
	Color("5c9e6d"),
	Color("9a6fb0"),
	Color("d08c3e"),
	Color("3f8f93"),
	Color("b5658a"),
	Color("7d8b3f"),
	Color("6a6fbf"),
	Color("a8683c"),
	Color("5f7480"),
	Color("c4a235"),
	Color("8a4f5f"),
]
const HAIR: Array[Color] = [
	Color("5a3825"), Color("a5683a"), Color("d8d2c6"), Color("2e2320"), Color("8a5a33"), Color("c79a4b"), Color("6b6560")
]
const SKIN: Array[Color] = [Color("f1c9a5"), Color("e3b08a"), Color("f4d6ba"), Color("b98460"), Color("d39a72")]

## Who decided, as a colour.
const SOURCES: Dictionary[String, Color] = {
	"model": Color("8fc1a9"), "chosen": Color("d9cc8f"), "policy": Color("8fb3d9"), "instinct": Color("d9a58f")
}
## The same in words.
const SOURCES_IN_WORDS: Dictionary[String, String] = {
	"model": "The language model wrote it.",
	"chosen": "A line from memory, or written before. A small model that reads found it the best of many.",
	"policy": "A habit: the language model decided this once, and it worked.",
	"instinct": "Routines and rules. They need no model.",
}


## Returns the two colors of a room's floor.
static func get_floor(room: String) -> Array[Color]:
	if room.contains("bath"):
		return TILE
	if room.contains("kitchen"):
		return CREAM
	if room.contains("work") or room.contains("store"):
		return STONE
	return WOOD


## Returns the coat, hair and skin of a person, by number.
static func get_look(i: int) -> Array[Color]:
	return [COATS[i % COATS.size()], HAIR[i % HAIR.size()], SKIN[i % SKIN.size()]]
