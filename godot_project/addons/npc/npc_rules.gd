class_name NpcRules
## The rules of places and objects: owners, opening hours and capacity. A refusal comes with a phrase that a mind can
## use.

## The kind of reason for a failed action. The minds decide by it; the phrase beside it goes into their memory. They
## wait for what is [code]OCCUPIED[/code].
enum Why { UNSPECIFIED, OTHER, OCCUPIED, UNREACHABLE, CLOSED, UNSUITABLE, INTERRUPTED }


## Returns why a character may not be at an address at a game time; empty if it may. With [param outside_of], a
## point, a place that contains it is not checked, because it is not entered now.
static func why_barred(npc: String, address: String, at_s: float, outside_of: Variant = null) -> String:
	for place: NpcPlaceCore in NpcPlaceCore.around(address):
		if outside_of is Vector3 and place.has_point(outside_of as Vector3):
			continue
		if not place.owners.is_empty() and npc not in place.owners:
			return "%s is private" % get_place_name(place)
		if not place.is_open_at(at_s) and not holds_key(npc, place):
			var until := " until %s" % place.hours.get_slice("-", 0) if not place.hours.is_empty() else ""
			return "%s is closed%s" % [get_place_name(place), until]
	return ""


## Returns why an address is full; empty if there is room, or if [param agent] is already there. With [param outside_of], a
## point, the agent comes from there.
static func why_full(address: String, agent: NpcAgent = null, outside_of: Variant = null) -> String:
	for place: NpcPlaceCore in NpcPlaceCore.around(address):
		if place.capacity <= 0:
			continue
		var inside := agent != null and place.has_agent(agent)
		var was_inside := place.has_point(outside_of as Vector3) if outside_of is Vector3 else inside
		if not was_inside and place.count_people() - (1 if inside else 0) >= place.capacity:
			return "%s is occupied" % get_place_name(place)
	var object := NpcObjectCore.by_address(address)
	if object != null and object.capacity > 0:
		if object.users.size() - (1 if agent in object.users else 0) >= object.capacity:
			return "%s is occupied" % with_article(object.display_name)
	return ""


## Returns [code]true[/code] if the character owns the place or a part of it. Such a character may enter outside the
## opening hours.
static func holds_key(npc: String, place: NpcPlaceCore) -> bool:
	for part: NpcPlaceCore in NpcPlaceCore.parts_of(place.address):
		if npc in part.owners:
			return true
	return false


## Returns a place's name in a phrase: "the bathroom". The name of a room with owners gets that of its building: "the
## bedroom of the Kettle Café".
static func get_place_name(place: NpcPlaceCore) -> String:
	var above := NpcPlaceCore.by_address(NpcPlaceCore.get_parent_address(place.address))
	if place.owners.is_empty() or above == null or above.address.count(":") == 0:
		return with_article(place.get_name_or_address())
	return "%s of %s" % [with_article(place.get_name_or_address()), with_article(above.get_name_or_address())]


## Returns "the stove" for "stove". Names in capitals and names with an article stay as they are.
static func with_article(words: String) -> String:
	for article: String in ["the ", "a ", "an "] as Array[String]:
		if words.begins_with(article):
			return words
	var first := words.left(1)
	return words if first != first.to_lower() else "the " + words
