class_name DemoDeeds
extends Node
## What the player takes that belongs to somebody, and who knows of it. Whoever sees it remembers it and tells others; this
## only asks their minds what they know.

## Emitted when the player has taken something. [param witnesses] are the names of those who saw it.
signal stolen(thing: DemoThing, witnesses: PackedStringArray)
## Emitted when it has turned out that somebody knows of a theft.
signal known(npc_id: String)

const STEALS := "steals"
## Seconds until a mind has stored what it saw.
const SOON_S := 2.0
## How much a theft matters to whoever saw it or was told, of 10.
const MATTERS := 8
## How often a mind is looked into: it stores what it was told once the talk is over, and may refuse a change until then.
const LOOKS := 30

var game: DemoGame
## Who is known to know of a theft.
var knowers: Dictionary[String, bool] = {}
## Crowns that the player owes for stolen things, by owner.
var debts: Dictionary[String, int] = {}

## How often it is still looked whether somebody has stored what they saw or were told.
var _looks: Dictionary[String, int] = {}
var _look_in_s: float = SOON_S


func _ready() -> void:
	NpcServer.speech_received.connect(_on_speech_received)


func _process(delta: float) -> void:
	_look_in_s -= delta
	if _look_in_s > 0.0:
		return
	_look_in_s = SOON_S
	for npc_id: String in _looks.keys():
		_looks[npc_id] -= 1
		if _looks[npc_id] <= 0:
			_looks.erase(npc_id)
		_stress(npc_id)


## Takes one thing. Everybody who sees the player remembers it.
func steal(thing: DemoThing) -> void:
	thing.left -= 1
	game.purse.put(thing.ware)
	debts[thing.owner] = debts.get(thing.owner, 0) + thing.price
	var article := "an" if thing.ware[0] in "aeiou" else "a"
	var from := "from %s's %s" % [game.town.get_name_of(thing.owner), thing.place]
	var deed := "%s %s %s %s" % [STEALS, article, thing.ware, from]
	var witnesses: PackedStringArray = []
	for person: DemoPerson in game.town.people:
		if person.get_agent().see_player_do(game.player, deed, game.avatar.global_position):
			witnesses.append(person.get_agent().persona_id)
			knowers[person.get_agent().persona_id] = true
	var seen := ", ".join(Array(witnesses).map(game.town.get_name_of))
	game.journal.write("You took %s %s %s. %s" % [article, thing.ware, from, _seen_text(seen, witnesses.size())])
	stolen.emit(thing, witnesses)
	for npc_id: String in witnesses:
		_looks[npc_id] = LOOKS


## Pays for what was stolen from somebody.
func pay_back(owner: String) -> bool:
	var crowns: int = debts.get(owner, 0)
	if crowns == 0 or not game.purse.pay(crowns):
		return false
	debts.erase(owner)
	var words := "pays %s for what was stolen, and says sorry" % game.town.get_person(owner).get_agent().display_name
	NpcServer.player_did(game.player, words, game.avatar.global_position)
	return true


## Returns [code]true[/code] if somebody knows that the player has stolen from them and has not paid.
func is_owed(npc_id: String) -> bool:
	return debts.has(npc_id) and knowers.has(npc_id)


## Asks a mind whether it has heard of a theft. What it was told counts as much as what it saw.
func look_into(npc_id: String) -> void:
	if debts.is_empty() or knowers.has(npc_id):
		return
	for memory: Dictionary in await _get_memories(npc_id):
		if _is_theft(memory):
			knowers[npc_id] = true
			known.emit(npc_id)
			return


func to_save() -> Dictionary:
	return {"knowers": knowers, "debts": debts, "left": game.things.map(func(thing: DemoThing) -> int: return thing.left)}


func from_save(saved: Dictionary) -> void:
	knowers.clear()
	debts.clear()
	_looks.clear()
	var known_by: Dictionary = saved.get("knowers", {})
	for npc_id: String in known_by:
		knowers[npc_id] = true
	var owed: Dictionary = saved.get("debts", {})
	for npc_id: String in owed:
		debts[npc_id] = int(owed[npc_id] as float)
	var left: Array = saved.get("left", [])
	for i: int in mini(left.size(), game.things.size()):
		game.things[i].left = int(left[i] as float)


## Whoever is told takes a theft as seriously as whoever saw it, and tells others.
func _on_speech_received(_npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if partial or not text.contains("%s %s" % [game.player, STEALS]):
		return
	for npc_id: String in to:
		if game.town.get_person(npc_id) != null:
			_looks[npc_id] = LOOKS


## A mind without a model may take a theft for an everyday sight. The game knows better.
func _stress(npc_id: String) -> void:
	for memory: Dictionary in await _get_memories(npc_id):
		if _is_theft(memory) and int(str(memory.get("importance", "0"))) < MATTERS:
			NpcServer.memories.edit(npc_id, int(str(memory["id"])), "", MATTERS, "the game")


func _get_memories(npc_id: String) -> Array:
	var words := "%s %s" % [game.player, STEALS]
	var asked := NpcServer.call_server("MindService/SearchMemories", {"npc_id": npc_id, "query": words, "limit": 20})
	if not await asked.done():
		return []
	return (asked.response.get("memories", []) as Array).map(func(scored: Dictionary) -> Dictionary: return scored["memory"])


func _is_theft(memory: Dictionary) -> bool:
	var text := str(memory.get("text", ""))
	return text.contains("%s %s" % [game.player, STEALS]) and memory.get("topic") in ["MEMORY_TOPIC_PLAYER_DID", "MEMORY_TOPIC_OTHER"]


func _seen_text(names: String, count: int) -> String:
	if count == 0:
		return "Nobody saw you."
	return "%s saw you." % names
