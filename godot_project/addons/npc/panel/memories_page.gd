@tool
extends "res://addons/npc/panel/page.gd"
## What somebody remembers, the newest first and as it comes. Further pages are got when they come in sight.

## So many memories are asked for at once.
const PAGE := 50
## So many at most when only new ones are wanted.
const NEW := 20

var list: RowList
var kinds := OptionButton.new()

var _count := Look.make_label(0, true)
var _detail := Look.make_text()
var _next: String = ""
var _newest: int = 0
var _is_asking: bool = false
var _round: int = 0


func _build() -> void:
	var bar := HBoxContainer.new()
	kinds.add_item("All memories")
	for kind: String in Look.KINDS:
		kinds.add_item(Look.KINDS[kind].capitalize())
	kinds.item_selected.connect(_on_kind_selected)
	bar.add_child(kinds)
	_count.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_count.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	bar.add_child(_count)
	add_child(bar)
	list = _make_list("There are no such memories.")
	list.row_chosen.connect(_on_row_chosen)
	list.end_neared.connect(_get_more)
	_split(list, _detail, 0.72)


func _clear() -> void:
	_round += 1
	_next = ""
	_newest = 0
	_is_asking = false
	_detail.text = ""
	list.chosen = -1
	list.set_rows([] as Array[Row])


func _update(person: Dictionary) -> void:
	_show_count()
	var latest := person.get("latest_memory_id", 0) as int
	if latest != _newest and not _is_asking:
		_get_new(latest)


## Gets the first page, or what has come since.
func _get_new(latest: int) -> void:
	var is_first := list.rows.is_empty()
	var found := await _get_page("", PAGE if is_first else NEW)
	if found.is_empty():
		return
	_newest = latest
	var fresh: Array[Row] = []
	var known := list.rows[0].id if not is_first else 0
	for memory: Dictionary in found["memories"] as Array:
		if (memory["id"] as int) > known:
			fresh.append(_row_of(memory))
	if is_first or fresh.size() == NEW:
		_next = found["next_page_token"]  # so many are new that some are missing between: begin again
		list.set_rows(fresh)
	elif not fresh.is_empty():
		list.set_rows(fresh + list.rows)
	_show_count()


func _show_count() -> void:
	var all := view.get_chosen().get("memories", 0) as int
	_count.text = "%s in all, %s shown" % [Look.count(all), Look.count(list.rows.size())]


## Gets the next page. At the end there is none.
func _get_more() -> void:
	if _next.is_empty() or _is_asking:
		return
	var found := await _get_page(_next, PAGE)
	if found.is_empty():
		return
	_next = found["next_page_token"]
	var more: Array[Row] = []
	for memory: Dictionary in found["memories"] as Array:
		more.append(_row_of(memory))
	list.append_rows(more)
	_show_count()


func _get_page(token: String, size: int) -> Dictionary:
	_is_asking = true
	var this_round := _round
	var fields := {"page_size": size, "page_token": token}
	if kinds.selected > 0:
		fields["kinds"] = ["MEMORY_KIND_" + Look.KINDS.keys()[kinds.selected - 1].to_upper()]
	var found := await _ask("ListMemories", fields)
	if this_round != _round:
		return {}
	_is_asking = false
	return found


func _row_of(memory: Dictionary) -> Row:
	var kind := Look.word(memory["kind"], "MEMORY_KIND")
	var notes: PackedStringArray = [Look.moment(memory["created_s"] as int), Look.KINDS.get(kind, kind) as String]
	var origin := Look.origin_of(memory, view.names)
	if not origin.is_empty():
		notes.append(origin)
	notes.append("importance %d of 10" % memory["importance"])
	var row := _make_row(memory["id"] as int, str(memory["text"]), "  ·  ".join(notes), Look.KIND_COLOURS.get(kind, Look.DIM) as Color)
	row.is_faded = not str(memory["doubt"]).is_empty()
	row.message = memory
	return row


func _on_kind_selected(_index: int) -> void:
	_clear()
	look()


func _on_row_chosen(row: Row) -> void:
	_detail.text = describe(row.message, view)


## Returns all that is known of a memory.
static func describe(memory: Dictionary, of: View) -> String:
	var lines: PackedStringArray = [str(memory["text"]), ""]
	var kind := Look.word(memory["kind"], "MEMORY_KIND")
	var origin := Look.origin_of(memory, of.names)
	lines.append("Memory %d, %s%s." % [memory["id"], Look.KINDS.get(kind, kind), ", " + origin if not origin.is_empty() else ""])
	var times := [Look.moment(memory["created_s"] as int), Look.moment(memory["last_access_s"] as int), memory["importance"]]
	lines.append("Made %s, last came to mind %s, importance %d of 10." % times)
	if not str(memory["address"]).is_empty():
		lines.append("At %s." % memory["address"])
	if not str(memory["subject"]).is_empty():
		lines.append("%s | %s | %s" % [of.get_name(str(memory["subject"])), memory["predicate"], of.get_name(str(memory["object"]))])
	if not (memory["evidence"] as Array).is_empty():
		lines.append("Rests on the memories %s." % ", ".join((memory["evidence"] as Array).map(str)))
	if not str(memory["key"]).is_empty():
		lines.append("Added by the game as '%s'." % memory["key"])
	if not str(memory["doubt"]).is_empty():
		lines.append("In doubt: %s" % memory["doubt"])
	return "\n".join(lines)
