class_name DemoPalette
## The colors of the demo.

const GRASS := Color("87a564")
const GRASS_DARK := Color("7a9a59")
const GRASS_LIGHT := Color("9ab873")
const LAWN := Color("93b46b")
const PATH := Color("dcc7a0")
const PATH_EDGE := Color("c3a97c")
const WALL := Color("5b4638")
const WALL_TOP := Color("7a6150")
const DOOR := Color("a9794a")
const SHADOW := Color(0.12, 0.09, 0.06, 0.22)
const WATER := Color("6fa3b5")
const WATER_LIGHT := Color("8fbecb")
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
