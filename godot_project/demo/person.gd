class_name DemoPerson
extends Node2D
## One of the people: a figure that walks, with its name, what it does, and what it says.

const NAME_SIZE := 12
const SAID_FOR_S := 7.0
const MIDDLE := 10
const FRONT := 11

## Coat and hair.
var colours: Array = DemoPalette.PEOPLE[0]
## Moves the label up, so that two people side by side stay readable.
var lift: float = 0.0
## Width of the town in pixels; what is said stays inside.
var town_width: float = 10000.0
## Whether the player talks with it: then nobody stands in front of it.
var chosen: bool = false:
	set(value):
		chosen = value
		z_index = FRONT if value else MIDDLE
## What it said last, while it is shown.
var said: String = ""
## What it thought last.
var thought: String = ""

var _agent: NpcAgent
var _said_until_ms: int = 0
var _steps: float = 0.0
var _last_position := Vector2.ZERO


func setup(agent: NpcAgent, look: Array) -> void:
	_agent = agent
	colours = look
	z_index = MIDDLE
	add_child(agent)
	agent.spoke.connect(_on_spoke)
	agent.thinking_changed.connect(func(text: String) -> void: thought = text)


func get_agent() -> NpcAgent:
	return _agent


func get_first_name() -> String:
	return _agent.display_name.get_slice(" ", 0)


## One line for people: "is kneading dough".
func get_line() -> String:
	if _agent.action == null:
		return "has not decided yet"
	return _agent.action.predicate()


func get_picture() -> String:
	var action := _agent.action
	if action == null:
		return "dots"
	return DemoEmoji.picture_for(action.sentence, action.address, _agent.doing == NpcAgent.Doing.WALKING)


func get_emoji() -> String:
	return _agent.action.emoji if _agent.action != null else ""


func is_in_bed() -> bool:
	return _agent.doing == NpcAgent.Doing.ACTING and _agent.action != null and _agent.action.object_action in ["sleep", "lie down"]


## The label's rectangle, in the parent's coordinates.
func get_label_rect() -> Rect2:
	var box := _label_box()
	return Rect2(position + box.position * scale, box.size * scale)


## Whether its figure, standing or in bed, is at a place of the world.
func has_point(at: Vector2) -> bool:
	var bed := _bed()
	var figure := Rect2(to_local(bed.global_position) + Vector2(-10, -10), Vector2(20, 31)) if bed != null else Rect2(-11, -23, 22, 31)
	return figure.has_point(to_local(at))


func has_label_at(at: Vector2) -> bool:
	return _label_box().has_point(to_local(at))


func _on_spoke(text: String, _to: PackedStringArray, _partial: bool) -> void:
	said = text
	_said_until_ms = Time.get_ticks_msec() + int(SAID_FOR_S * 1000.0)


func _process(delta: float) -> void:
	var moved := position.distance_to(_last_position)
	_last_position = position
	_steps = _steps + delta * 12.0 if moved > 0.1 else 0.0
	if not said.is_empty() and Time.get_ticks_msec() > _said_until_ms:
		said = ""
	queue_redraw()


func _draw() -> void:
	var bed := _bed()
	if bed != null:
		_draw_sleeper(bed)
	else:
		_draw_figure()
	_draw_label()
	if not said.is_empty():
		_draw_speech()


func _draw_figure() -> void:
	var coat: Color = colours[0]
	var hair: Color = colours[1]
	var bob := absf(sin(_steps)) * 1.6
	var swing := sin(_steps) * 3.0
	draw_set_transform(Vector2(0, 6), 0.0, Vector2(1.0, 0.45))
	draw_circle(Vector2.ZERO, 9.0, Color(0, 0, 0, 0.28))
	draw_set_transform(Vector2.ZERO)
	draw_line(Vector2(-3, 0), Vector2(-3 + swing, 6), DemoPalette.INK, 3.5, true)
	draw_line(Vector2(3, 0), Vector2(3 - swing, 6), DemoPalette.INK, 3.5, true)
	var up := Vector2(0, -bob)
	var body := PackedVector2Array([Vector2(-7, 2), Vector2(-5.5, -10), Vector2(5.5, -10), Vector2(7, 2)])
	draw_colored_polygon(Transform2D(0.0, up) * body, coat)
	draw_polyline(Transform2D(0.0, up) * (body + PackedVector2Array([body[0]])), coat.darkened(0.35), 1.2, true)
	draw_line(up + Vector2(-6, -8), up + Vector2(-8.5, -1 + swing * 0.4), coat.darkened(0.15), 3.0, true)
	draw_line(up + Vector2(6, -8), up + Vector2(8.5, -1 - swing * 0.4), coat.darkened(0.15), 3.0, true)
	var head := up + Vector2(0, -15)
	draw_circle(head, 6.6, Color("f1c9a5"), true, -1.0, true)
	var look := _agent.get_heading() * 2.0
	if look.y > -1.0:
		draw_circle(head + Vector2(-2.2 + look.x, 0.8), 0.9, DemoPalette.INK)
		draw_circle(head + Vector2(2.2 + look.x, 0.8), 0.9, DemoPalette.INK)
		draw_arc(head, 6.2, PI * 1.02, PI * 1.98, 16, hair, 4.0, true)
	else:
		draw_circle(head, 6.6, hair, true, -1.0, true)


## The bed it lies in, or null.
func _bed() -> DemoFurniture:
	return NpcObject.by_address(get_tree(), _agent.action.address) as DemoFurniture if is_in_bed() else null


func _draw_sleeper(bed: DemoFurniture) -> void:
	var at := (bed.global_position - global_position) / scale
	draw_set_transform(at, PI if bed.upside_down else 0.0)
	draw_circle(Vector2(0, -3), 5.5, Color("f1c9a5"), true, -1.0, true)
	draw_arc(Vector2(0, -3), 5.0, PI * 1.0, PI * 2.0, 12, colours[1] as Color, 3.5, true)
	draw_rect(Rect2(Vector2(-8, 2), Vector2(16, 17)), Color("7c93b8"))
	draw_rect(Rect2(Vector2(-8, 2), Vector2(16, 3)), Color("a5b6d2"))
	draw_set_transform(Vector2.ZERO)
	var font := ThemeDB.fallback_font
	var drift := fmod(Time.get_ticks_msec() / 900.0, 1.0)
	draw_string(font, at + Vector2(9 + drift * 3.0, -7 - drift * 5.0), "z", HORIZONTAL_ALIGNMENT_LEFT, -1, 12, DemoPalette.PAPER)
	draw_string(font, at + Vector2(14, -14), "z", HORIZONTAL_ALIGNMENT_LEFT, -1, 10, Color(DemoPalette.PAPER, 0.7))


func _label_box() -> Rect2:
	var wide := _label_width()
	return Rect2(Vector2(-wide / 2.0, -50.0 - lift), Vector2(wide, 20.0))


func _label_width() -> float:
	return 34.0 + (ThemeDB.fallback_font.get_string_size(get_first_name(), HORIZONTAL_ALIGNMENT_LEFT, -1, NAME_SIZE).x)


## A pill with a picture of what it does, and the name.
func _draw_label() -> void:
	var font := ThemeDB.fallback_font
	var box := _label_box()
	var style := StyleBoxFlat.new()
	style.bg_color = DemoPalette.PAPER
	style.set_corner_radius_all(10)
	style.border_color = DemoPalette.ACCENT if chosen else colours[0]
	style.set_border_width_all(3 if chosen else 2)
	style.shadow_color = Color(0, 0, 0, 0.25)
	style.shadow_size = 3
	draw_style_box(style, box)
	if lift > 0.0:
		draw_line(Vector2(0, box.end.y), Vector2(0, -24), Color(colours[0] as Color, 0.8), 1.5)
	DemoEmoji.draw(self, box.position + Vector2(14, 10), get_emoji(), get_picture())
	draw_string(font, box.position + Vector2(26, 14.5), get_first_name(), HORIZONTAL_ALIGNMENT_LEFT, -1, NAME_SIZE, DemoPalette.INK)


func _draw_speech() -> void:
	var font := ThemeDB.fallback_font
	var wide := 190.0
	var text := said if said.length() < 160 else said.substr(0, 157) + "…"
	var size := font.get_multiline_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, wide, 12)
	var box := Rect2(Vector2(-size.x / 2.0 - 9, -62.0 - lift - size.y - 10), size + Vector2(18, 12))
	var most := town_width - box.size.x * scale.x - 4.0
	box.position.x = ((clampf(position.x + box.position.x * scale.x, 4.0, most) - position.x) / scale.x)
	var style := StyleBoxFlat.new()
	style.bg_color = Color.WHITE
	style.set_corner_radius_all(8)
	style.shadow_color = Color(0, 0, 0, 0.3)
	style.shadow_size = 4
	draw_style_box(style, box)
	draw_colored_polygon(PackedVector2Array([Vector2(-6, box.end.y), Vector2(6, box.end.y), Vector2(0, box.end.y + 8)]), Color.WHITE)
	draw_multiline_string(
		font, box.position + Vector2(9, 6 + font.get_ascent(12)), text, HORIZONTAL_ALIGNMENT_LEFT, wide, 12, -1, DemoPalette.INK
	)
