class_name DemoCard
extends Control
## What the side panel shows of a person: a card if there are few people, a row if there are many. It is written again
## only after a change.

const PICTURE := Vector2(29, 42)

var person: DemoPerson
## If [code]true[/code], it is a card with all details, else a row.
var whole: bool = true

var _style := StyleBoxFlat.new()
var _tag := StyleBoxFlat.new()
var _name: Label
var _source: Label
var _action: Label
var _place: Label
var _words: Label
var _picture: String = "dots"


func _ready() -> void:
	mouse_filter = Control.MOUSE_FILTER_IGNORE
	_style.bg_color = DemoPalette.PANEL_LIGHT
	_style.border_color = person.colours[0]
	if whole:
		_build_card()
	else:
		_build_row()
	person.changed.connect(_write)
	_write()


func _build_card() -> void:
	_style.set_corner_radius_all(8)
	_style.border_width_left = 5
	_name = DemoWords.add_line(self, Rect2(16, 4, 190, 24), 17, DemoPalette.TEXT)
	_source = DemoWords.add_line(self, Rect2(size.x - 82, 6, 70, 20), 14, DemoPalette.TEXT_DIM)
	_source.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	_source.add_theme_stylebox_override("normal", _tag)
	_action = DemoWords.add_lines(self, Rect2(48, 28, size.x - 60, 41), 14, DemoPalette.TEXT, 2)
	_place = DemoWords.add_lines(self, Rect2(16, 68, size.x - 28, 41), 14, DemoPalette.TEXT_DIM, 2)
	_words = DemoWords.add_lines(self, Rect2(16, 108, size.x - 28, 41), 14, DemoPalette.ACCENT, 2)


func _build_row() -> void:
	_style.border_width_left = 4
	mouse_filter = Control.MOUSE_FILTER_PASS  # for the tooltip
	_name = DemoWords.add_line(self, Rect2(10, 0, 80, size.y), 14, DemoPalette.TEXT)
	_action = DemoWords.add_line(self, Rect2(90, 0, size.x - 90, size.y), 14, DemoPalette.TEXT_DIM)


func _write() -> void:
	var action := person.get_agent().action
	if not whole:
		_name.text = person.get_first_name()
		_action.text = person.get_line().trim_prefix("is ")
		tooltip_text = "%s %s" % [person.get_agent().display_name, person.get_line()]
		if (_style.bg_color.a > 0.0) != person.chosen:
			_style.bg_color = Color(DemoPalette.PANEL_LIGHT, 1.0 if person.chosen else 0.0)
			queue_redraw()
		return
	_name.text = person.get_agent().display_name
	_action.text = "%s %s" % [person.get_first_name(), person.get_line()]
	_source.text = action.source if action != null else ""
	var decider: Color = DemoPalette.SOURCES.get(_source.text, DemoPalette.TEXT_DIM)
	_source.visible = action != null
	_source.add_theme_color_override("font_color", decider)
	_tag.bg_color = Color(decider, 0.22)
	var feels := person.get_feelings_text()
	var place := _get_place_text(action) if action != null else ""
	_place.text = place + ("" if feels.is_empty() or place.is_empty() else " · ") + feels
	_words.text = (
		"“%s”" % person.said if not person.said.is_empty() else ("Thinks: " + person.thought if not person.thought.is_empty() else "")
	)
	_words.add_theme_color_override("font_color", DemoPalette.ACCENT if not person.said.is_empty() else DemoPalette.TEXT_DIM)
	if _picture != person.get_picture():
		_picture = person.get_picture()
		queue_redraw()


func _draw() -> void:
	if whole or person.chosen:
		draw_style_box(_style, Rect2(Vector2.ZERO, size))
	else:
		draw_rect(Rect2(0, 2, 4, size.y - 4), person.colours[0])
	if whole:
		draw_circle(PICTURE, 12.0, DemoPalette.PAPER, true, -1.0, true)
		DemoPicture.draw(self, PICTURE, _picture, 1.1)


## Returns a text such as "Hale's workshop, lathe · until 12:00", or on the way "then choosing timber".
func _get_place_text(action: NpcAction) -> String:
	match person.get_agent().doing:
		NpcAgent.Doing.ACTING:
			return "%s · until %s" % [DemoWords.get_place_text(action.address), DemoHud.get_clock_text(action.end_s)]
		NpcAgent.Doing.WALKING:
			return "then " + action.predicate().trim_prefix("is ")
	return ""
