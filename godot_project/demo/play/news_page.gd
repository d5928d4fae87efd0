class_name DemoNewsPage
extends DemoPage
## The news sheet: each piece of news in town with who knows it and who told whom, and who runs for mayor.

const WIDE := 1120.0
const HIGH := 640.0
const MOST := 12
## How many names stand in a line before the rest is counted.
const NAMES := 4

var game: DemoGame
var news := DemoNews.new()

var _date: Label
var _columns: Array[VBoxContainer] = []
var _mayor: Label
var _is_reading: bool = false


func _ready() -> void:
	super()
	place(WIDE, HIGH)
	var name_line := add_text(_rows, "The Alderwick Ear", 34)
	name_line.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	_date = add_text(_rows, "", 14, FADED)
	_date.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	add_rule(_rows)
	_mayor = add_text(_rows, "", 16, RED)
	_mayor.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	add_rule(_rows)
	var body := add_column(_rows, 0)
	var columns := HBoxContainer.new()
	columns.add_theme_constant_override("separation", 30)
	body.add_child(columns)
	for i: int in 2:
		var column := VBoxContainer.new()
		column.size_flags_horizontal = Control.SIZE_EXPAND_FILL
		column.add_theme_constant_override("separation", 16)
		columns.add_child(column)
		_columns.append(column)


func open() -> void:
	super()
	_write()
	if _is_reading:
		return
	_is_reading = true
	await news.gather(game.town)
	_is_reading = false
	_write()


## Returns the sheet as plain text.
func get_text() -> String:
	var lines: PackedStringArray = [_mayor.text]
	for item: DemoNews.Item in news.items:
		lines.append("%s | %s" % [item.text, _get_way(item)])
	return "\n".join(lines)


func _write() -> void:
	var now := int(NpcServer.game_time_s)
	_date.text = "%s, %s    ·    Who told whom    ·    N or Esc closes it" % [DemoHud.get_date_text(now), DemoHud.get_clock_text(now)]
	_mayor.text = _get_mayor_text()
	for column: VBoxContainer in _columns:
		clear(column)
	if news.items.is_empty():
		add_text(
			_columns[0], "The ink is still wet …" if _is_reading else "Nothing has happened yet that anybody would talk of.", 18, FADED
		)
	for i: int in mini(news.items.size(), MOST):
		_add_item(news.items[i], _columns[i % _columns.size()])


func _add_item(item: DemoNews.Item, column: VBoxContainer) -> void:
	var box := VBoxContainer.new()
	box.add_theme_constant_override("separation", 2)
	column.add_child(box)
	add_text(box, get_headline(item.text), 18)
	var known := "Known to %d of %d" % [item.told_by.size(), game.town.people.size()]
	add_text(
		box, "%s, first on %s at %s" % [known, DemoHud.get_date_text(item.at).get_slice(",", 0), DemoHud.get_clock_text(item.at)], 14, RED
	)
	add_text(box, _get_way(item), 15, FADED)


## Returns news as a headline: somebody's words stand in quotation marks.
static func get_headline(text: String) -> String:
	var says := text.split(' says: "', true, 1)
	if says.size() < 2:
		return text.trim_suffix(".")
	return "%s: “%s”" % [says[0], says[1].trim_suffix(".").trim_suffix('"').trim_suffix(".")]


## Returns a text such as "Seen by Bram. Bram told Priya and Agnes. Agnes told Wilf."
func _get_way(item: DemoNews.Item) -> String:
	var parts: PackedStringArray = []
	var sources := item.get_sources()
	if not sources.is_empty():
		parts.append("At first hand: %s." % _get_names(sources))
	var tellers: Array[String] = []
	for npc_id: String in item.told_by:
		var teller := item.told_by[npc_id]
		if not teller.is_empty() and teller not in tellers:
			tellers.append(teller)
	for teller: String in tellers:
		parts.append("%s told %s." % [_get_name(teller), _get_names(item.get_told(teller))])
	return " ".join(parts)


func _get_mayor_text() -> String:
	if game.stories.candidates.is_empty():
		return "Nobody runs for mayor."
	var names: Array[String] = []
	for npc_id: String in game.stories.candidates:
		names.append(game.town.get_person(npc_id).get_agent().display_name)
	return "For mayor: %s" % ", ".join(names)


func _get_names(npc_ids: Array[String]) -> String:
	var names: PackedStringArray = []
	for npc_id: String in npc_ids.slice(0, NAMES):
		names.append(_get_name(npc_id))
	if npc_ids.size() > NAMES:
		return "%s and %d more" % [", ".join(names), npc_ids.size() - NAMES]
	if names.size() < 2:
		return "".join(names)
	return "%s and %s" % [", ".join(names.slice(0, names.size() - 1)), names[-1]]


func _get_name(npc_id: String) -> String:
	return "You" if npc_id == game.player else game.town.get_name_of(npc_id)
