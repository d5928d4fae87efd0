class_name DemoNews
extends RefCounted
## Who knows what, and from whom, as the minds of the town have it. The server is asked for what each remembers.

## Memories of less importance are no news.
const LEAST := 5
const PAGE := 500
## What is told in a talk is a memory of the talk.
const KINDS: Array[String] = ["MEMORY_KIND_OBSERVATION", "MEMORY_KIND_CONVERSATION", "MEMORY_KIND_INTENTION", "MEMORY_KIND_SEED"]
const HEARSAY: Array[String] = ["MEMORY_SOURCE_TOLD", "MEMORY_SOURCE_HEARD"]

## The news, what most people know first.
var items: Array[Item] = []

## The ids of people, by name.
var _ids: Dictionary[String, String] = {}


## One piece of news.
class Item:
	extends RefCounted
	var text: String
	## When it was first known, in game time.
	var at: int
	## Of each person who knows it, the id of whoever told them first: empty for those who saw it or thought of it.
	var told_by: Dictionary[String, String] = {}
	## Of each person who knows it, since when they do.
	var since: Dictionary[String, int] = {}

	## Returns those who know it at first hand.
	func get_sources() -> Array[String]:
		return told_by.keys().filter(func(npc_id: String) -> bool: return told_by[npc_id].is_empty())

	## Returns whom somebody told.
	func get_told(teller: String) -> Array[String]:
		return told_by.keys().filter(func(npc_id: String) -> bool: return told_by[npc_id] == teller)


## Asks all minds. Returns [code]false[/code] if the server did not answer.
func gather(town: DemoTown) -> bool:
	var found: Dictionary[String, Item] = {}
	for person: DemoPerson in town.people:
		_ids[person.get_agent().display_name] = person.get_agent().persona_id
	for person: DemoPerson in town.people:
		var token := ""
		while true:
			var fields := {"npc_id": person.get_agent().persona_id, "page_size": PAGE, "kinds": KINDS, "page_token": token}
			var asked := NpcServer.call_server("MindService/ListMemories", fields)
			if not await asked.done():
				return false
			for memory: Dictionary in asked.response.get("memories", []) as Array:
				_take(found, person, memory)
			token = str(asked.response.get("next_page_token", ""))
			if token.is_empty():
				break
	items.assign(found.values())
	items.sort_custom(func(a: Item, b: Item) -> bool: return a.told_by.size() > b.told_by.size())
	return true


func _take(found: Dictionary[String, Item], person: DemoPerson, memory: Dictionary) -> void:
	if not _is_news(memory):
		return
	var text := str(memory["text"]).strip_edges()
	if _is_overheard_news(memory):
		text = str(memory["object"]).strip_edges()
	if memory.get("kind") == "MEMORY_KIND_INTENTION":
		# Whoever passes on a thought says whose it is.
		text = '%s says: "%s"' % [person.get_agent().display_name, text.trim_suffix(".")]
	var gist := text.to_lower().trim_suffix(".").replace('."', '"')
	var item: Item = found.get_or_add(gist, Item.new())
	var at := int(str(memory.get("created_s", "0")))
	if item.text.is_empty() or at < item.at:
		item.text = text
		item.at = at
	var npc_id := person.get_agent().persona_id
	var teller := _get_teller(memory)
	# Whoever has seen it needs nobody to tell it.
	var saw_it := str(item.told_by.get(npc_id, npc_id)).is_empty()
	if teller.is_empty() or (not saw_it and at < int(item.since.get(npc_id, at + 1))):
		item.told_by[npc_id] = teller
		item.since[npc_id] = at


## Returns the id of whoever told it, or said it where the person was; empty for what nobody told.
func _get_teller(memory: Dictionary) -> String:
	if memory.get("source") not in HEARSAY:
		return ""
	var named := str(memory.get("source_person", ""))
	if named.is_empty():
		named = str(memory.get("subject", ""))
	return _ids.get(named, named)


## Returns whether somebody told it to others where the person was.
func _is_overheard_news(memory: Dictionary) -> bool:
	return memory.get("source") == "MEMORY_SOURCE_HEARD" and memory.get("predicate") == "told"


## What else was said, plans and everyday sights are none.
func _is_news(memory: Dictionary) -> bool:
	if int(str(memory.get("importance", "0"))) < LEAST:
		return false
	if _is_overheard_news(memory):
		return true
	match memory.get("topic"):
		"MEMORY_TOPIC_PLAYER_DID":
			return true
		"MEMORY_TOPIC_OTHER", null:
			var is_given := not str(memory.get("key", "")).is_empty()
			return is_given or memory.get("kind") == "MEMORY_KIND_INTENTION" or memory.get("source") in HEARSAY
	return false
