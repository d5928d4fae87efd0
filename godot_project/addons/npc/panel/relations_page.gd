@tool
extends "res://addons/npc/panel/page.gd"
## How somebody sees the others, or how all see each other, as a graph.

const Graph := preload("res://addons/npc/panel/graph.gd")
## Seconds after which relationships are asked for again.
const AGAIN_S := 10.0

var graph := Graph.new()
var everybody := CheckButton.new()

var _detail := Look.make_label()
var _ties: Dictionary[String, Dictionary] = {}
## The ids of the people whose relationships are still to be asked for, one after another.
var _queue: Array[String] = []
var _is_asking: bool = false
var _asked_ms: int = -1_000_000


func _build() -> void:
	everybody.text = "Everybody"
	everybody.tooltip_text = "Shows how all people see each other, in a circle."
	everybody.toggled.connect(func(_on: bool) -> void: _begin_anew())
	add_child(everybody)
	graph.size_flags_vertical = Control.SIZE_EXPAND_FILL
	graph.person_picked.connect(_on_person_picked)
	graph.person_picked.connect(_ask_back)
	add_child(graph)
	_detail.custom_minimum_size.y = 92.0
	_detail.text = "Click a person to read what is between the two."
	add_child(_detail)


func _clear() -> void:
	graph.picked = ""
	_detail.text = "Click a person to read what is between the two."
	_begin_anew()


func _update(_person: Dictionary) -> void:
	if _queue.is_empty() and not _is_asking and Time.get_ticks_msec() - _asked_ms > int(AGAIN_S * 1000.0):
		_asked_ms = Time.get_ticks_msec()
		_queue.assign(view.people.map(func(it: Dictionary) -> String: return it["npc_id"]) if everybody.button_pressed else [view.chosen])
		_ask_next()


func _begin_anew() -> void:
	_queue.clear()
	_ties.clear()
	_asked_ms = -1_000_000
	look()


## Asks for one person's relationships after another, so that no frame gets many answers.
func _ask_next() -> void:
	_is_asking = true
	while not _queue.is_empty() and is_visible_in_tree():
		var who: String = _queue.pop_front()
		var request := view.ask("GetRelations", {"npc_id": who})
		if not await request.done():
			_queue.clear()
			break
		for tie: Dictionary in request.response.get("relations", []) as Array:
			_ties["%s>%s" % [who, tie["other"]]] = tie
	_is_asking = false
	_show()


func _show() -> void:
	graph.chosen = view.chosen
	graph.is_round = everybody.button_pressed
	var names: Dictionary[String, String] = {}
	if everybody.button_pressed:
		for person: Dictionary in view.people:
			names[str(person["npc_id"])] = str(person["name"])
	else:
		names[view.chosen] = view.get_name(view.chosen)
	for key: String in _ties:
		if key.begins_with(view.chosen + ">"):
			names[key.get_slice(">", 1)] = view.get_name(key.get_slice(">", 1))
	graph.show_ties(names, _ties.duplicate())
	if not graph.picked.is_empty():
		_on_person_picked(graph.picked)


func _on_person_picked(who: String) -> void:
	var lines: PackedStringArray = []
	for ends: Array in [[view.chosen, who], [who, view.chosen]] as Array[Array]:
		var tie: Dictionary = _ties.get("%s>%s" % ends, {})
		if not tie.is_empty() and ends[0] != ends[1]:
			lines.append(_describe(str(ends[0]), tie))
	var nothing := "%s has nobody in mind who is %s." % [view.get_name(view.chosen), view.get_name(who)]
	_detail.text = "\n".join(lines) if not lines.is_empty() else nothing


## Asks how the picked person sees the one who is looked at.
func _ask_back(who: String) -> void:
	if _ties.has("%s>%s" % [who, view.chosen]) or not view.names.has(who) or who == view.chosen:
		return
	var request := view.ask("GetRelations", {"npc_id": who})
	if not await request.done() or graph.picked != who:
		return
	for tie: Dictionary in request.response.get("relations", []) as Array:
		if tie["other"] == view.chosen:
			_ties["%s>%s" % [who, view.chosen]] = tie
			_show()


func _describe(from: String, tie: Dictionary) -> String:
	var parts: PackedStringArray = ["%s, closeness %d of 10" % [tie["relation"], tie["closeness"]]]
	for more: String in ["feeling", "between"]:
		if not str(tie[more]).is_empty():
			parts.append(str(tie[more]))
	if (tie["revised_s"] as int) != 0:
		parts.append("(as of %s)" % Look.moment(tie["revised_s"] as int))
	return "%s about %s: %s" % [view.get_name(from), view.get_name(str(tie["other"])), ". ".join(parts)]
