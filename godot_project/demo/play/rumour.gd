class_name DemoRumour
extends Node
## A rumour that leads from one person to the next. The game gives each of them a part of it as a memory. They tell it when
## asked for news, and pass it on among themselves. What the player hears is written into the journal, with who said it.

## Emitted when the player has found what the rumour is about.
signal found(crowns: int)

const GOAL := "tin_box"
const REWARD := 25
const SUBJECT := "tin box"
## For each part: who knows it from the start, the memory, and the words by which a line that tells it is recognized.
const PARTS: Array[Array] = [
	[
		["biddy_corrigan", "wilf_rook", "bram_oakes"],
		"Somebody hid a tin box in the year of the great flood, and Dorothea Penhallow saw who it was.",
		["tin box", "Dorothea"],
		"Find out about the tin box: ask Dorothea Penhallow for news.",
	],
	[
		["dorothea_penhallow"],
		"The old ferryman hid the tin box in the year of the great flood, and told only Silas Wetherby where.",
		["tin box", "Silas"],
		"Ask Silas Wetherby, the ferryman, about the tin box.",
	],
	[
		["silas_wetherby"],
		"The tin box of the year of the great flood hangs on a hook in the well by the lime tree.",
		["tin box", "hook"],
		"Look into the well by the lime tree on the square.",
	],
]
const IMPORTANCE := 9

var game: DemoGame
## How many parts the player has heard.
var heard: int = 0
var is_found: bool = false


## Gives people their parts. For a new game.
func begin() -> void:
	for i: int in PARTS.size():
		NpcServer.memories.add(PARTS[i][1] as String, {"npc_ids": PARTS[i][0]}, {"key": "tin_box_%d" % i, "importance": IMPORTANCE})


## Takes note of a line that somebody says to the player or near them.
func listen(npc_id: String, text: String) -> void:
	for i: int in range(PARTS.size() - 1, -1, -1):
		var words: Array = PARTS[i][2]
		if words.all(func(word: String) -> bool: return text.containsn(word)):
			game.journal.write(text, game.town.get_name_of(npc_id))
			_learn(i)
			return


## Returns who knows the next part.
func is_next(npc_id: String) -> bool:
	return heard > 0 and heard < PARTS.size() and npc_id in (PARTS[heard][0] as Array)


## Looks into the well. Returns what there is to see.
func search() -> String:
	if is_found:
		return "Water, and the hook on which the tin box hung."
	if heard < PARTS.size():
		return "Water, far down. If something is hidden here, you would have to know where to feel for it."
	is_found = true
	game.purse.earn(REWARD)
	game.journal.reach(_goal(PARTS.size() - 1))
	game.journal.write("The tin box was in the well: %s, and a ring with two names on it." % DemoPurse.crowns_text(REWARD))
	NpcServer.player_did(game.player, "pulls an old tin box full of coins out of the well", game.avatar.global_position)
	found.emit(REWARD)
	return "A tin box! In it are %s and a ring with two names on it." % DemoPurse.crowns_text(REWARD)


func to_save() -> Dictionary:
	return {"heard": heard, "is_found": is_found}


func from_save(saved: Dictionary) -> void:
	heard = int(saved.get("heard", 0) as float)
	is_found = saved.get("is_found", false)


## A later part makes the earlier ones needless.
func _learn(part: int) -> void:
	if part < heard:
		return
	for i: int in part:
		game.journal.reach(_goal(i))
	if part > 0:
		game.journal.reach(_goal(part - 1))
	heard = part + 1
	game.journal.add_goal(_goal(part), PARTS[part][3] as String)


func _goal(part: int) -> String:
	return "%s_%d" % [GOAL, part]
