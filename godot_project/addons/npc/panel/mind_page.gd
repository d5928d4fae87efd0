@tool
extends "res://addons/npc/panel/page.gd"
## Who somebody is, what they do and why, their needs and mood, who has answered for them, and their plan of today.

const Everybody := preload("res://addons/npc/panel/everybody_page.gd")
const Meter := preload("res://addons/npc/panel/meter.gd")
## Seconds after which the plan is asked for again although the action is the same.
const PLAN_S := 4.0
const STATUS: Dictionary[String, String] = {"ahead": "", "active": "now", "done": "done", "failed": "failed", "dropped": "dropped"}
const STATUS_COLOURS: Dictionary[String, Color] = {"active": Look.GOLD, "done": Look.GOOD, "failed": Look.BAD}
const LEVELS: PackedStringArray = ["day", "hour", "step"]

var plan: RowList

var _title := Look.make_label(Look.LARGE)
var _doing := Look.make_label()
var _why := Look.make_label(0, true)
var _mood := Look.make_label()
var _meters: Dictionary[String, Meter] = {}
var _identity := Look.make_label(0, true)
var _answers := Look.make_label(0, true)
var _asked_for: String = ""
var _asked_ms: int = 0


func _build() -> void:
	var left := VBoxContainer.new()
	left.add_theme_constant_override(&"separation", 10)
	left.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	for label: Label in [_title, _doing, _why, _mood] as Array[Label]:
		left.add_child(label)
	for need: String in Look.NEEDS:
		_meters[need] = Meter.new(need.capitalize())
		left.add_child(_meters[need])
	left.add_child(_answers)
	left.add_child(_identity)
	var scroll := ScrollContainer.new()
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.add_child(left)
	plan = _make_list("There is no plan for today yet.")
	_split(scroll, plan, 0.42, true)


func _clear() -> void:
	_asked_for = ""
	_identity.text = ""
	_answers.text = ""
	plan.set_rows([] as Array[Row])


func _update(person: Dictionary) -> void:
	var action: Dictionary = person.get("action", {})
	_title.text = str(person["name"])
	_doing.text = str(action.get("sentence", "Has nothing to do."))
	_why.text = Everybody.why_of(person)
	var mood: Dictionary = person.get("mood", {})
	_mood.text = "Mood: %s, %.1f of 10" % [Look.word(mood.get("emotion", "neutral"), "EMOTION"), mood.get("strength", 0.0)]
	var needs: Dictionary = person.get("needs", {})
	for need: String in _meters:
		var value := needs.get(need, 0.0) as float
		_meters[need].show_value(value, "%.1f" % value)
	var key := "%s %s" % [view.chosen, action.get("action_id", "")]
	if key != _asked_for or Time.get_ticks_msec() - _asked_ms > int(PLAN_S * 1000.0):
		_asked_for = key
		_asked_ms = Time.get_ticks_msec()
		_get_plan()
		_get_mind()


func _get_mind() -> void:
	var mind := await _ask("GetMind")
	if mind.is_empty():
		return
	_identity.text = str(mind.get("identity", ""))
	var shares: PackedStringArray = []
	for source: String in ["model", "chosen", "policy", "instinct"]:
		shares.append("%s %s" % [source, Look.count(mind.get(source + "_answers", 0) as int)])
	_answers.text = "Answered so far: %s. Knows %d places." % [", ".join(shares), (mind.get("known_addresses", []) as Array).size()]


func _get_plan() -> void:
	var found := await _ask("GetPlan")
	var steps: Array = found.get("steps", [])
	var rows: Array[Row] = []
	for step: Dictionary in steps:
		rows.append(_row_of(step))
	if found.is_empty() or _signature(rows) == _signature(plan.rows):
		return
	var is_first := plan.rows.is_empty()
	plan.set_rows(rows)
	if is_first:
		_show_now()


## Brings what is done now in sight.
func _show_now() -> void:
	for i: int in plan.rows.size():
		if plan.rows[i].message["status"] == "PLAN_STATUS_ACTIVE":
			plan.scroll_to(clampf((i - 3.0) / maxf(1.0, plan.rows.size()), 0.0, 1.0))


func _row_of(step: Dictionary) -> Row:
	var status := Look.word(step["status"], "PLAN_STATUS")
	var is_missed := status == "ahead" and (step["end_s"] as int) <= view.now_s
	var notes: PackedStringArray = []
	if is_missed and row_level(step) == LEVELS.size() - 1:
		notes.append("did not come to it")
	if not str(STATUS.get(status, "")).is_empty():
		notes.append(STATUS[status])
	var origin := Look.word(step["origin"], "PLAN_ORIGIN")
	if origin != "planned":
		notes.append("agreed on" if origin == "agreed" else origin)
	notes.append("by %s" % Look.source_of(step))
	if not str(step.get("address", "")).is_empty():
		notes.append(Look.place(str(step["address"])))
	var title := "%s–%s  %s" % [Look.hour(step["start_s"] as int), Look.hour(step["end_s"] as int), step["text"]]
	var row := _make_row(step["id"] as int, title, "  ·  ".join(notes), STATUS_COLOURS.get(status, Color.TRANSPARENT) as Color)
	row.level = row_level(step)
	row.is_faded = is_missed or status in ["done", "dropped"]
	row.message = step
	return row


## Returns 0 for a broad stroke of the day, 1 for an hour, and 2 for a step.
static func row_level(step: Dictionary) -> int:
	return maxi(0, LEVELS.find(Look.word(step["level"], "PLAN_LEVEL")))


func _signature(rows: Array[Row]) -> int:
	var said: PackedStringArray = []
	for row: Row in rows:
		said.append_array([row.title, row.note])
	return hash(said)
