@tool
extends "res://addons/npc/panel/page.gd"
## What comes to somebody's mind for a question, with the three parts of each score. It does not count as remembering.

const Memories := preload("res://addons/npc/panel/memories_page.gd")
const FOUND := 30

var line := LineEdit.new()
var list: RowList

var _detail := Look.make_text()
var _scored: Dictionary[int, Dictionary] = {}
var _round: int = 0


func _build() -> void:
	var bar := HBoxContainer.new()
	line.placeholder_text = "What should come to mind? Such as: the midsummer supper"
	line.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	line.max_length = 500
	line.keep_editing_on_text_submit = true
	line.text_submitted.connect(recall)
	bar.add_child(line)
	var button := Button.new()
	button.text = "Recall"
	button.pressed.connect(func() -> void: recall(line.text))
	bar.add_child(button)
	add_child(bar)
	add_child(_make_legend())
	list = _make_list("Type a question or a few words, and press Enter.")
	list.row_chosen.connect(_on_row_chosen)
	_split(list, _detail, 0.74)


func _clear() -> void:
	_scored.clear()
	_detail.text = ""
	list.set_rows([] as Array[Row])
	if not line.text.strip_edges().is_empty():
		recall(line.text)


## Asks what comes to mind.
func recall(question: String) -> void:
	if question.strip_edges().is_empty() or view.chosen.is_empty():
		return
	line.text = question
	_round += 1
	var this_round := _round
	var found := await _ask("SearchMemories", {"query": question, "limit": FOUND})
	if found.is_empty() or this_round != _round:
		return
	var rows: Array[Row] = []
	_scored.clear()
	for scored: Dictionary in found["memories"] as Array:
		var memory: Dictionary = scored["memory"]
		var notes: PackedStringArray = ["score %.2f" % scored["score"], Look.moment(memory["created_s"] as int)]
		if not Look.origin_of(memory, view.names).is_empty():
			notes.append(Look.origin_of(memory, view.names))
		var kind := Look.word(memory["kind"], "MEMORY_KIND")
		var row := _make_row(memory["id"] as int, str(memory["text"]), "  ·  ".join(notes), Look.KIND_COLOURS.get(kind, Look.DIM) as Color)
		row.parts = PackedFloat32Array([scored["recency"], scored["importance"], scored["relevance"]])
		row.message = memory
		_scored[row.id] = scored
		rows.append(row)
	list.chosen = -1
	list.set_rows(rows)
	list.scroll_to(0.0)


func _make_legend() -> Control:
	var bar := HBoxContainer.new()
	bar.alignment = BoxContainer.ALIGNMENT_END
	for i: int in Look.PARTS.size():
		var swatch := ColorRect.new()
		swatch.color = Look.PART_COLOURS[i]
		swatch.custom_minimum_size = Vector2(12, 12)
		swatch.size_flags_vertical = Control.SIZE_SHRINK_CENTER
		bar.add_child(swatch)
		var label := Label.new()
		label.text = Look.PARTS[i]
		bar.add_child(label)
	return bar


func _on_row_chosen(row: Row) -> void:
	var scored: Dictionary = _scored.get(row.id, {})
	var numbers := [scored["recency"], scored["importance"], scored["relevance"], scored["score"]]
	_detail.text = "Recency %.3f, importance %.3f, relevance %.3f: score %.3f\n\n" % numbers + Memories.describe(row.message, view)
