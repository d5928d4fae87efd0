@tool
extends "res://addons/npc/panel/page.gd"
## Who does what and why.

var list: RowList


func _build() -> void:
	list = _make_list("Nobody is there yet.")
	list.row_chosen.connect(_on_row_chosen)
	add_child(list)


func _update(_person: Dictionary) -> void:
	var rows: Array[Row] = []
	for i: int in view.people.size():
		rows.append(_row_of(view.people[i], i))
	list.chosen = rows.find_custom(func(row: Row) -> bool: return row.message["npc_id"] == view.chosen)
	if _differ(rows):
		list.set_rows(rows)
	else:
		list.queue_redraw()


func _row_of(person: Dictionary, index: int) -> Row:
	var action: Dictionary = person.get("action", {})
	var by := Look.source_of(action)
	var doing := str(action.get("sentence", "has nothing to do"))
	var row := _make_row(index, doing, why_of(person), Look.BY.get(by, Color.TRANSPARENT) as Color)
	if not doing.begins_with(str(person["name"]).get_slice(" ", 0)):
		row.tag = str(person["name"])
	row.message = person
	row.is_faded = person.get("asleep", false)
	return row


## Returns the plan behind what somebody does, who decided it, where, and how they feel, as a sentence.
static func why_of(person: Dictionary) -> String:
	var action: Dictionary = person.get("action", {})
	var parts: PackedStringArray = []
	var why := PackedStringArray(person.get("why", []) as Array)
	if not why.is_empty():
		parts.append("because: " + "  <  ".join(why))
	match Look.word(person.get("origin", ""), "PLAN_ORIGIN"):
		"agreed":
			parts.append("as agreed")
		"reaction":
			parts.append("as a reaction")
	var by := Look.source_of(action)
	if by in Look.BY:
		parts.append("decided by %s" % by)
	if not str(person.get("address", "")).is_empty():
		parts.append(Look.place(str(person["address"])))
	var mood: Dictionary = person.get("mood", {})
	var felt := Look.word(mood.get("emotion", ""), "EMOTION")
	if felt not in ["neutral", "unspecified", ""] and mood.get("strength", 0.0) >= 0.5:
		parts.append("%s (%.0f)" % [felt, mood["strength"]])
	return "  ·  ".join(parts)


## A row that says the same as before keeps its shaped text.
func _differ(rows: Array[Row]) -> bool:
	if rows.size() != list.rows.size():
		return true
	for i: int in rows.size():
		var before := list.rows[i]
		if rows[i].title != before.title or rows[i].note != before.note or rows[i].colour != before.colour:
			return true
		before.message = rows[i].message
	return false


func _on_row_chosen(row: Row) -> void:
	view.choose(str(row.message["npc_id"]))
