@tool
class_name NpcPanel
extends PanelContainer
## Shows what goes on in the minds of a running game: who does what and why, plans, needs, memories as they come, what
## comes to mind for a question, relationships, conclusions with what they rest on, and the latest prompts and replies.
##
## In a game, a key opens it (see [NpcPanelHost]). The editor shows the same controls in the debugger's tab "Minds".
## Only what is visible is asked for and drawn.

## Emitted when somebody closes the panel with its button or with Escape.
signal closed

const Look := preload("res://addons/npc/panel/look.gd")
const Page := preload("res://addons/npc/panel/page.gd")
const Row := preload("res://addons/npc/panel/row.gd")
const RowList := preload("res://addons/npc/panel/row_list.gd")
const Source := preload("res://addons/npc/panel/source.gd")
const View := preload("res://addons/npc/panel/view.gd")
const PAGES: Dictionary[String, GDScript] = {
	"Everybody": preload("res://addons/npc/panel/everybody_page.gd"),
	"Mind": preload("res://addons/npc/panel/mind_page.gd"),
	"Memories": preload("res://addons/npc/panel/memories_page.gd"),
	"Recall": preload("res://addons/npc/panel/recall_page.gd"),
	"Relations": preload("res://addons/npc/panel/relations_page.gd"),
	"Reflections": preload("res://addons/npc/panel/reflections_page.gd"),
	"Questions": preload("res://addons/npc/panel/questions_page.gd"),
}

## The pages by their names.
var pages: Dictionary[String, Page] = {}
## What the pages share.
var view: View
## The list of people at the left.
var people: RowList

var _tabs := TabBar.new()
var _title := Label.new()
var _status := Label.new()
var _close := Button.new()


func _init(source: Source) -> void:
	name = "NpcPanel"
	view = View.new(source)
	view.people_updated.connect(_on_people_updated)
	view.person_chosen.connect(_mark_chosen)
	var margin := MarginContainer.new()
	for side: String in ["left", "top", "right", "bottom"]:
		margin.add_theme_constant_override("margin_" + side, 10)
	add_child(margin)
	var rows := VBoxContainer.new()
	rows.add_theme_constant_override(&"separation", 8)
	margin.add_child(rows)
	rows.add_child(_make_head())
	rows.add_child(_make_body())
	_status.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	_status.clip_text = true
	_status.self_modulate.a = 0.75
	rows.add_child(_status)
	show_page("Everybody")


func _process(delta: float) -> void:
	if is_visible_in_tree():
		view.step(delta)


func _shortcut_input(event: InputEvent) -> void:
	if _close.visible and is_visible_in_tree() and event.is_action_pressed(&"ui_cancel"):
		get_viewport().set_input_as_handled()
		closed.emit()


## Shows a page by its name, such as "Memories".
func show_page(called: String) -> void:
	_tabs.current_tab = PAGES.keys().find(called)
	for other: String in pages:
		pages[other].visible = other == called


## Returns the name of the page that is shown.
func get_page() -> String:
	return PAGES.keys()[_tabs.current_tab]


## Shows a button that closes the panel.
func show_close_button() -> void:
	_close.show()


func _make_head() -> Control:
	var head := HBoxContainer.new()
	head.add_theme_constant_override(&"separation", 14)
	_tabs.clip_tabs = false
	_tabs.focus_mode = Control.FOCUS_ALL
	for called: String in PAGES:
		_tabs.add_tab(called)
	_tabs.tab_changed.connect(func(index: int) -> void: show_page(_tabs.get_tab_title(index)))
	head.add_child(_tabs)
	_title.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_title.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
	_title.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	_title.clip_text = true
	head.add_child(_title)
	_close.text = "Close"
	_close.pressed.connect(closed.emit)
	_close.hide()
	head.add_child(_close)
	return head


func _make_body() -> Control:
	var body := HSplitContainer.new()
	body.size_flags_vertical = Control.SIZE_EXPAND_FILL
	people = RowList.new()
	people.empty_text = "Nobody yet."
	people.size_flags_stretch_ratio = 0.24
	people.row_chosen.connect(_on_person_chosen)
	body.add_child(people)
	var right := MarginContainer.new()
	right.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	right.size_flags_stretch_ratio = 0.76
	for called: String in PAGES:
		pages[called] = PAGES[called].new(view, called) as Page
		right.add_child(pages[called])
	body.add_child(right)
	return body


func _on_people_updated() -> void:
	_title.text = "%s   %s" % [Look.moment(view.now_s), view.source.get_title()] if view.now_s != 0 else view.source.get_title()
	_status.text = view.problem
	if view.problem.is_empty():
		_status.text = (
			"%d people. %s calls so far, the last answer took %d ms." % [view.people.size(), Look.count(view.asked), view.latency_ms]
		)
	var rows: Array[Row] = []
	for i: int in view.people.size():
		rows.append(_row_of(view.people[i], i))
	var before := people.rows.map(func(row: Row) -> String: return row.title + row.note)
	if before != rows.map(func(row: Row) -> String: return row.title + row.note):
		people.set_rows(rows)
	_mark_chosen()


func _row_of(person: Dictionary, index: int) -> Row:
	var row := Row.new()
	row.id = index
	row.title = str(person["name"])
	var action: Dictionary = person.get("action", {})
	row.note = str(action.get("sentence", "")).trim_prefix(row.title.get_slice(" ", 0)).trim_prefix(" is ").strip_edges()
	row.colour = Look.BY.get(Look.source_of(action), Color.TRANSPARENT)
	row.is_faded = person.get("asleep", false)
	return row


func _on_person_chosen(row: Row) -> void:
	view.choose(str(view.people[row.id]["npc_id"]))


func _mark_chosen() -> void:
	people.chosen = view.people.find(view.get_chosen()) if not view.chosen.is_empty() else -1
	people.queue_redraw()
