class_name DemoThing
extends RefCounted
## Something in the town that a player can use: an object of the town file, and what can be done there.

## What using it does.
enum Use {
	## Takes something that belongs to somebody.
	TAKE,
	## Looks for something hidden.
	SEARCH,
	## Reads who has told whom.
	READ,
	## Lets an hour pass.
	REST,
	## Lets the night pass.
	SLEEP,
}

## Address, use, and for what can be taken: the thing, its owner, its worth, and what it is taken from.
const ALL: Array[Array] = [
	["bakery:bakery_shop:shelves", Use.TAKE, "rye loaf", "bram_oakes", 3, "bread shelf"],
	["square:market:farm_stall", Use.TAKE, "apple", "agnes_rook", 1, "farm stall"],
	["square:market:fish_stall", Use.TAKE, "perch", "odile_wetherby", 2, "fish stall"],
	["shop:shop_floor:shelves", Use.TAKE, "lantern", "marcus_penhallow", 4, "shelves"],
	["farm:yard:hen_house", Use.TAKE, "egg", "agnes_rook", 1, "hen house"],
	["square:lime_tree:well", Use.SEARCH],
	["square:lime_tree:notice_board", Use.READ],
	["church:assembly_room:notice_board", Use.READ],
	["square:market:bench", Use.REST],
	["square:lime_tree:lime_bench", Use.REST],
	["square:lime_tree:sunny_bench", Use.REST],
	["riverside:bank:willow_bench", Use.REST],
	["park:pond_side:pond_bench", Use.REST],
	["tavern:taproom:fireplace", Use.SLEEP],
]

## Without the town's id.
var address: String
var use: Use
## What can be taken, and the id of whoever it belongs to.
var ware: String = ""
var owner: String = ""
## What it is worth, in crowns.
var price: int = 0
## How many are left.
var left: int = 3
## What of the owner's it is taken from, such as "bread shelf".
var place: String = ""


static func make(row: Array) -> DemoThing:
	var made := DemoThing.new()
	made.address = row[0]
	made.use = row[1]
	if made.use == Use.TAKE:
		made.ware = row[2]
		made.owner = row[3]
		made.price = row[4]
		made.place = row[5]
	return made


## Returns what the prompt says; empty if nothing can be done now.
func get_prompt(owner_name: String) -> String:
	match use:
		Use.TAKE:
			var article := "an" if ware[0] in "aeiou" else "a"
			return "Steal %s %s (%s's)" % [article, ware, owner_name] if left > 0 else ""
		Use.SEARCH:
			return "Look into the well"
		Use.READ:
			return "Read the notices"
		Use.REST:
			return "Rest here for an hour"
		_:
			return "Sleep by the fire until morning"
