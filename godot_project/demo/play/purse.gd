class_name DemoPurse
extends RefCounted
## The player's coins and things.

## Emitted after every change.
signal changed

const START := 20

## In crowns.
var coins: int = START
## How many of each thing.
var things: Dictionary[String, int] = {}


func earn(crowns: int) -> void:
	coins += crowns
	changed.emit()


## Pays, and returns [code]false[/code] without paying if there is too little.
func pay(crowns: int) -> bool:
	if crowns > coins:
		return false
	coins -= crowns
	changed.emit()
	return true


func put(thing: String, count: int = 1) -> void:
	things[thing] = get_count(thing) + count
	changed.emit()


## Takes things out, and returns [code]false[/code] without doing so if there are too few.
func take(thing: String, count: int = 1) -> bool:
	if get_count(thing) < count:
		return false
	things[thing] -= count
	if things[thing] == 0:
		things.erase(thing)
	changed.emit()
	return true


func get_count(thing: String) -> int:
	return things.get(thing, 0)


## Returns a text such as "6 eggs, 1 rye loaf".
func get_text() -> String:
	var parts: PackedStringArray = []
	for thing: String in things:
		parts.append(count_text(thing, things[thing]))
	return ", ".join(parts)


## Returns a text such as "2 rye loaves".
static func count_text(thing: String, count: int) -> String:
	if count == 1:
		return "1 " + thing
	if thing.ends_with("loaf"):
		return "%d %sves" % [count, thing.trim_suffix("f")]
	return "%d %s" % [count, thing if thing.ends_with("s") or thing in ["perch", "bream"] else thing + "s"]


static func crowns_text(crowns: int) -> String:
	return "1 crown" if crowns == 1 else "%d crowns" % crowns


func to_save() -> Dictionary:
	return {"coins": coins, "things": things}


func from_save(saved: Dictionary) -> void:
	coins = int(saved.get("coins", START) as float)
	things.clear()
	var kept: Dictionary = saved.get("things", {})
	for thing: String in kept:
		things[thing] = int(kept[thing] as float)
	changed.emit()
