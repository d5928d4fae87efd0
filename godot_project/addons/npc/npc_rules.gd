class_name NpcRules
## Who may go where, and when, told in phrases that a mind can use: owners and opening hours of places, room in places and
## at things.

## What kind of reason it is, for the minds to go by; the words beside it are for people. OCCUPIED is waited for.
enum Why { UNSPECIFIED, OTHER, OCCUPIED, UNREACHABLE, CLOSED, UNSUITABLE, INTERRUPTED }


## Why this character cannot be at an address at a game time; empty when nothing bars it. With [param outside_of], only
## places count in which that point does not lie: those that are entered now.
static func why_barred(tree: SceneTree, npc: String, address: String, at_s: float, outside_of: Variant = null) -> String:
	for place: NpcPlace in NpcPlace.around(tree, address):
		if outside_of is Vector2 and place.get_rect().has_point(outside_of as Vector2):
			continue
		if not place.owners.is_empty() and npc not in place.owners:
			return "%s is private" % called(tree, place)
		if not place.is_open_at(at_s) and not holds_key(tree, npc, place):
			return "%s is closed until %s" % [called(tree, place), place.hours.get_slice("-", 0)]
	return ""


## Why there is no room at an address; empty when there is, or when the agent that is meant is there already.
static func why_full(tree: SceneTree, address: String, agent: NpcAgent = null) -> String:
	for place: NpcPlace in NpcPlace.around(tree, address):
		if place.capacity <= 0:
			continue
		var inside := agent != null and place.get_rect().has_point(agent.get_body_position())
		if not inside and place.count_people() >= place.capacity:
			return "%s is occupied" % called(tree, place)
	var object := NpcObject.by_address(tree, address)
	if object != null and object.capacity > 0:
		if object.users.size() - (1 if agent in object.users else 0) >= object.capacity:
			return "%s is occupied" % with_article(object.display_name)
	return ""


## True for who owns the place or a part of it: they come and go outside its hours.
static func holds_key(tree: SceneTree, npc: String, place: NpcPlace) -> bool:
	for part: NpcPlace in NpcPlace.parts_of(tree, place.address):
		if npc in part.owners:
			return true
	return false


## What people call a place: "the bathroom"; a room that others own with its building: "the kitchen of the Kettle Café".
static func called(tree: SceneTree, place: NpcPlace) -> String:
	var above := NpcPlace.by_address(tree, place.address.substr(0, maxi(place.address.rfind(":"), 0)))
	if place.owners.is_empty() or above == null or above.address.count(":") == 0:
		return with_article(place.get_called())
	return "%s of %s" % [with_article(place.get_called()), with_article(above.get_called())]


## "stove" as "the stove"; proper names, and names with an article, stay.
static func with_article(words: String) -> String:
	for article: String in ["the ", "a ", "an "] as Array[String]:
		if words.begins_with(article):
			return words
	var first := words.left(1)
	return words if first != first.to_lower() else "the " + words
