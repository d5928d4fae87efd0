@tool
extends Control
## Draws people as dots and their relationships as lines: the closer two are, the thicker the line.

## Emitted when somebody clicks a person, or reaches one with the arrow keys.
signal person_picked(who: String)

const Look := preload("res://addons/npc/panel/look.gd")
const DOT := 7.0
const MOST_CLOSE := 10.0

## Who is looked at. They are in the middle if [member is_round] is false.
var chosen: String = ""
## Whose relationship to [member chosen] is told.
var picked: String = ""
## Whether all stand in a circle.
var is_round: bool = false

var _names: Dictionary[String, String] = {}
var _places: Dictionary[String, Vector2] = {}
## Relation messages by "from>to".
var _ties: Dictionary[String, Dictionary] = {}


func _init() -> void:
	focus_mode = Control.FOCUS_ALL
	custom_minimum_size = Vector2(280, 220)
	clip_contents = true
	resized.connect(_place)
	focus_entered.connect(queue_redraw)
	focus_exited.connect(queue_redraw)


## Shows people by their names, and the relationships between them, by "from>to".
func show_ties(names: Dictionary[String, String], ties: Dictionary[String, Dictionary]) -> void:
	_names = names
	_ties = ties
	_place()


## Returns the people in the order in which they are drawn.
func get_people() -> Array[String]:
	return _places.keys()


## Picks a person.
func pick(who: String) -> void:
	picked = who
	queue_redraw()
	person_picked.emit(who)


func _place() -> void:
	_places.clear()
	var around: Array[String] = _names.keys()
	var middle := size / 2.0
	if not is_round:
		around.erase(chosen)
	var reach := Vector2(maxf(60.0, size.x / 2.0 - 165.0), maxf(50.0, size.y / 2.0 - 34.0))
	for i: int in around.size():
		var angle := TAU * i / maxf(1.0, around.size()) - PI / 2.0
		# Whoever is closer stands nearer to the middle.
		var far := 1.0 if is_round else 1.0 - 0.055 * _closeness(chosen, around[i])
		_places[around[i]] = middle + Vector2.from_angle(angle) * reach * far
	if not is_round and _names.has(chosen):
		_places[chosen] = middle
	queue_redraw()


func _closeness(from: String, to: String) -> float:
	return (_ties.get(from + ">" + to, {}) as Dictionary).get("closeness", 0)


func _draw() -> void:
	var ink := get_theme_color(&"font_color", &"Label")
	for key: String in _ties:
		var ends := key.split(">")
		if _places.has(ends[0]) and _places.has(ends[1]):
			_draw_tie(_places[ends[0]], _places[ends[1]], key, ink)
	for who: String in _places:
		_draw_person(who, ink)
	if has_focus():
		draw_rect(Rect2(Vector2(0.5, 0.5), size - Vector2.ONE), Color(Look.ACCENT, 0.7), false, 1.0)


func _draw_tie(from: Vector2, to: Vector2, key: String, ink: Color) -> void:
	var closeness := (_ties[key] as Dictionary).get("closeness", 0) as float
	var is_picked := key == "%s>%s" % [chosen, picked] or key == "%s>%s" % [picked, chosen]
	var own := key.begins_with(chosen + ">")
	var colour := Look.ACCENT if is_picked else (Look.GOLD if own else ink)
	# The two directions of a pair lie beside each other.
	var beside := (to - from).normalized().orthogonal() * (2.5 if is_round else 0.0)
	var is_main := is_picked or own or not is_round
	var alpha := 0.25 + 0.06 * closeness if is_main else 0.03 + 0.02 * closeness
	var thick := 1.0 + (0.45 if is_main else 0.15) * closeness
	draw_line(from + beside, to + beside, Color(colour, 1.0 if is_picked else alpha), thick, true)


func _draw_person(who: String, ink: Color) -> void:
	var at := _places[who]
	var is_main := who == chosen or who == picked
	draw_circle(at, DOT + (3.0 if who == chosen else 0.0), Look.ACCENT if is_main else Color(ink, 0.85))
	var font := get_theme_font(&"font", &"Label")
	var text := _names[who]
	var tall := Look.font_size(self)
	var wide := font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, tall).x
	var to_left := at.x < size.x / 2.0 - 8.0
	var x := at.x - wide - DOT - 6.0 if to_left else at.x + DOT + 6.0
	var base := at + Vector2(0, 5)
	if absf(at.x - size.x / 2.0) <= 8.0:
		x = at.x - wide / 2.0
		base.y += 20.0 if at.y > size.y / 2.0 - 4.0 else -16.0
	var pos := Vector2(clampf(x, 2.0, maxf(2.0, size.x - wide - 2.0)), base.y)
	draw_string_outline(font, pos, text, HORIZONTAL_ALIGNMENT_LEFT, -1, tall, 5, Color(0, 0, 0, 0.55 if ink.v > 0.5 else 0.0))
	draw_string(font, pos, text, HORIZONTAL_ALIGNMENT_LEFT, -1, tall, Look.ACCENT.lightened(0.3) if is_main else ink)


func _gui_input(event: InputEvent) -> void:
	var pressed := event as InputEventMouseButton
	if pressed != null and pressed.pressed and pressed.button_index == MOUSE_BUTTON_LEFT:
		grab_focus()
		var nearest := _nearest(pressed.position)
		if not nearest.is_empty():
			pick(nearest)
		accept_event()
	elif event is InputEventKey and event.is_pressed():
		var step := int((event as InputEventKey).keycode == KEY_RIGHT) - int((event as InputEventKey).keycode == KEY_LEFT)
		var people: Array[String] = _places.keys()
		if step != 0 and not people.is_empty():
			pick(people[posmod(people.find(picked) + step, people.size())])
			accept_event()


func _nearest(at: Vector2) -> String:
	var best := ""
	for who: String in _places:
		if best.is_empty() or at.distance_to(_places[who]) < at.distance_to(_places[best]):
			best = who
	return best if not best.is_empty() and at.distance_to(_places[best]) < 60.0 else ""
