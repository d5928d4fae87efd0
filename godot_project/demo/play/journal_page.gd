class_name DemoJournalPage
extends DemoPage
## The journal: what there is to do at the left, and what the player was told at the right.

const WIDE := 1000.0
const HIGH := 600.0

var game: DemoGame

var _goals: VBoxContainer
var _entries: VBoxContainer
var _purse: Label


func _ready() -> void:
	super()
	place(WIDE, HIGH)
	add_title("Journal", "J or Esc closes it")
	var halves := HBoxContainer.new()
	halves.size_flags_vertical = Control.SIZE_EXPAND_FILL
	halves.add_theme_constant_override("separation", 36)
	_rows.add_child(halves)
	_goals = _add_half(halves, "To do", 0.85)
	_entries = _add_half(halves, "What I saw and heard", 1.0)
	add_rule(_rows)
	_purse = add_text(_rows, "", 16)
	game.journal.changed.connect(_write)
	game.purse.changed.connect(_write)


func open() -> void:
	super()
	_write()


func _add_half(under: Control, title: String, share: float) -> VBoxContainer:
	var half := VBoxContainer.new()
	half.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	half.size_flags_stretch_ratio = share
	under.add_child(half)
	add_text(half, title, 18, RED)
	return add_column(half, 10)


func _write() -> void:
	if not visible:
		return
	clear(_goals)
	clear(_entries)
	for is_done: bool in [false, true] as Array[bool]:
		for goal: Dictionary in game.journal.goals:
			if bool(goal["done"]) == is_done:
				_add_goal(goal)
	for entry: Dictionary in game.journal.entries:
		_add_entry(entry)
	var things := game.purse.get_text()
	_purse.text = "In your pockets: %s%s" % [DemoPurse.crowns_text(game.purse.coins), ", " + things if not things.is_empty() else ""]


func _add_goal(goal: Dictionary) -> void:
	var row := HBoxContainer.new()
	row.add_theme_constant_override("separation", 10)
	_goals.add_child(row)
	row.add_child(DemoTick.make(bool(goal["done"]), INK))
	add_text(row, str(goal["text"]), 16, FADED if goal["done"] else INK)


func _add_entry(entry: Dictionary) -> void:
	var row := VBoxContainer.new()
	row.add_theme_constant_override("separation", 0)
	_entries.add_child(row)
	var at := int(entry["at"] as float)
	var when := "%s, %s" % [DemoHud.get_date_text(at).get_slice(",", 0), DemoHud.get_clock_text(at)]
	var from := str(entry["from"])
	add_text(row, when if from.is_empty() else "%s, from %s" % [when, from], 14, FADED)
	add_text(row, str(entry["text"]) if from.is_empty() else "“%s”" % str(entry["text"]), 16)
