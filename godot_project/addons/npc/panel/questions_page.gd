@tool
extends "res://addons/npc/panel/page.gd"
## The latest questions of somebody's mind: prompt, reply, tokens, time, and who answered.

const PAGE := 20
const OUTCOMES: Dictionary[String, String] = {
	"used": "", "retried": "asked again", "instinct": "left to instinct", "cancelled": "came too late"
}

## Why instinct answered, in words.
const REASONS: Dictionary[String, String] = {"MODEL_MISSING": "No model is installed. Get one: npc-server setup"}
const CHOOSE := "Choose a question to read its prompt and its reply."

var list: RowList

var _detail := Look.make_text()
var _head := Look.make_label()
var _newest: int = 0
var _next: String = ""
var _is_asking: bool = false
var _round: int = 0


func _build() -> void:
	list = _make_list("No question was asked since the game was opened.")
	list.row_chosen.connect(_on_row_chosen)
	list.end_neared.connect(_get_more)
	var right := VBoxContainer.new()
	right.add_child(_head)
	right.add_child(_detail)
	_split(list, right, 0.44, true)


func _clear() -> void:
	_round += 1
	_newest = 0
	_next = ""
	_is_asking = false
	_head.text = ""
	_detail.text = ""
	list.chosen = -1
	list.set_rows([] as Array[Row])


func _update(person: Dictionary) -> void:
	var latest := person.get("latest_question_id", 0) as int
	if latest != _newest and not _is_asking:
		_get_new(latest)


func _get_new(latest: int) -> void:
	var found := await _get_page("")
	if found.is_empty():
		return
	_newest = latest
	var known := list.rows[0].id if not list.rows.is_empty() else 0
	var fresh: Array[Row] = []
	for question: Dictionary in found["questions"] as Array:
		if (question["id"] as int) > known:
			fresh.append(_row_of(question))
	if list.rows.is_empty() or fresh.size() == PAGE:
		_next = found["next_page_token"]
		list.set_rows(fresh)
	else:
		list.set_rows(fresh + list.rows.slice(0, 200))
	if list.chosen < 0 and not list.rows.is_empty():
		_detail.text = str(REASONS.get(list.rows[0].message["reason"], CHOOSE))


func _get_more() -> void:
	if _next.is_empty() or _is_asking:
		return
	var found := await _get_page(_next)
	if found.is_empty():
		return
	_next = found["next_page_token"]
	var more: Array[Row] = []
	for question: Dictionary in found["questions"] as Array:
		more.append(_row_of(question))
	list.append_rows(more)


func _get_page(token: String) -> Dictionary:
	_is_asking = true
	var this_round := _round
	var found := await _ask("ListQuestions", {"page_size": PAGE, "page_token": token})
	if this_round != _round:
		return {}
	_is_asking = false
	return found


func _row_of(question: Dictionary) -> Row:
	var by := Look.word(question["by"], "ANSWERED_BY")
	var outcome := Look.word(question["outcome"], "QUESTION_OUTCOME")
	var notes: PackedStringArray = [Look.hour(question["at_s"] as int), "by %s" % by]
	if (question["prompt_tokens"] as int) > 0:
		notes.append("%s + %d tokens" % [Look.count(question["prompt_tokens"] as int), question["reply_tokens"]])
	if (question["wall_ms"] as float) > 0.0:
		notes.append("%.0f ms" % question["wall_ms"] if question["wall_ms"] < 10_000.0 else "%.1f s" % (question["wall_ms"] / 1000.0))
	if not str(OUTCOMES.get(outcome, "")).is_empty() and by != outcome:
		notes.append(OUTCOMES[outcome])
	if not str(question["reason"]).is_empty():
		notes.append(_get_reason(question).left(60))
	var said := str(question["reply"]).strip_edges().get_slice("\n", 0)
	var title := str(question["name"]) if said.is_empty() else "%s:  %s" % [question["name"], said]
	var row := _make_row(question["id"] as int, title, "  ·  ".join(notes), Look.BY.get(by, Look.DIM) as Color)
	row.is_faded = str(question["reply"]).is_empty()
	row.message = question
	return row


static func _get_reason(question: Dictionary) -> String:
	return str(REASONS.get(question["reason"], question["reason"]))


func _on_row_chosen(row: Row) -> void:
	var question := row.message
	var by := Look.word(question["by"], "ANSWERED_BY")
	_head.text = "%s, %s, answered by %s" % [question["name"], Look.moment(question["at_s"] as int), by]
	var lines: PackedStringArray = ["No model was asked. It took %.1f ms." % question["wall_ms"]]
	if (question["prompt_tokens"] as int) > 0:
		var tokens := [question["prompt_tokens"], question["cached_tokens"], question["reply_tokens"], question["wall_ms"]]
		lines[0] = "Prompt %d tokens (%d of them were read before), reply %d tokens, %.1f ms." % tokens
	if not str(question["reason"]).is_empty():
		lines.append("Why: %s" % _get_reason(question))
	var was_model := not str(question["system"]).is_empty()
	var parts: Array[PackedStringArray] = [["SYSTEM", "system"], ["PROMPT" if was_model else "ASKED", "user"], ["REPLY", "reply"]]
	for part: PackedStringArray in parts:
		if not str(question[part[1]]).is_empty():
			lines.append_array(PackedStringArray(["", "—— %s ——" % part[0], str(question[part[1]])]))
	_detail.text = "\n".join(lines)
