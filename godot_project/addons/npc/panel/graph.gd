@tool
extends Control
## Draws people as dots and their relationships as lines: the closer two are, the thicker the line. No name covers another. Where
## there is no room for all, the pointer over a dot tells the name.

## Emitted when somebody clicks a person, or reaches one with the arrow keys.
signal person_picked(who: String)

const Look := preload("res://addons/npc/panel/look.gd")
const DOT := 7.0
const MOST_CLOSE := 10.0
## Between a dot and its name.
const GAP := 6.0
## How many half lines a name may be away from its dot.
const MOST_STEPS := 4

## Who is looked at. They are in the middle if [member is_round] is false.
var chosen: String = ""
## Whose relationship to [member chosen] is told.
var picked: String = ""
## Whether all stand in a circle.
var is_round: bool = false

var _names: Dictionary[String, String] = {}
var _places: Dictionary[String, Vector2] = {}
var _name_boxes: Dictionary[String, Rect2] = {}
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


## Returns where names are written. Nobody is here for whose name there is no room.
func get_name_boxes() -> Dictionary[String, Rect2]:
	return _name_boxes


## Picks a person.
func pick(who: String) -> void:
	picked = who
	_place()
	person_picked.emit(who)


func _place() -> void:
	_places.clear()
	var around: Array[String] = _names.keys()
	var middle := size / 2.0
	if not is_round:
		around.erase(chosen)
	var reach := Vector2(maxf(60.0, size.x / 2.0 - 165.0), maxf(50.0, size.y / 2.0 - 34.0))
	for i: int in around.size():
		# Whoever is closer stands nearer to the middle.
		var far := 1.0 if is_round else 1.0 - 0.055 * _closeness(chosen, around[i])
		_places[around[i]] = middle + _get_direction(float(i) / around.size()) * reach * far
	if not is_round and _names.has(chosen):
		_places[chosen] = middle
	_place_names()
	queue_redraw()


## Returns a point of the circle, clockwise from its top. The points of each side are evenly spread from top to bottom, so that
## there is room for a line of text at each.
static func _get_direction(part: float) -> Vector2:
	var y := 1.0 - absf(2.0 - 4.0 * part)
	return Vector2(sqrt(1.0 - y * y) * (1.0 if part < 0.5 else -1.0), y)


## Finds room for the names: first for those that matter.
func _place_names() -> void:
	_name_boxes.clear()
	var taken: Array[Rect2] = []
	for who: String in _places:
		taken.append(Rect2(_places[who], Vector2.ZERO).grow(DOT + (3.0 if who == chosen else 0.0)))
	var order: Array[String] = _places.keys()
	for who: String in [picked, chosen] as Array[String]:
		if _places.has(who):
			order.erase(who)
			order.push_front(who)
	for who: String in order:
		var box := _find_room(who, taken)
		if box.has_area():
			_name_boxes[who] = box
			taken.append(box)


## Returns where a name covers nothing. If there is no such place, it is empty, or covers dots if the name matters.
func _find_room(who: String, taken: Array[Rect2]) -> Rect2:
	var whole := Rect2(Vector2.ZERO, size)
	for box: Rect2 in _list_boxes(who):
		if whole.encloses(box) and not _hits(box, taken):
			return box
	for box: Rect2 in _list_boxes(who) if who in [picked, chosen] else [] as Array[Rect2]:
		box.position = box.position.clamp(Vector2.ZERO, size - box.size)
		if not _hits(box, _name_boxes.values()):
			return box
	return Rect2()


static func _hits(box: Rect2, others: Array[Rect2]) -> bool:
	return others.any(func(other: Rect2) -> bool: return other.intersects(box))


## Returns where a name may stand, the best first: away from the middle, at the height of its dot.
func _list_boxes(who: String) -> Array[Rect2]:
	var at := _places[who]
	var tall := Look.font_size(self)
	var box := get_theme_font(&"font", &"Label").get_string_size(_names[who], HORIZONTAL_ALIGNMENT_LEFT, -1, tall)
	var away := DOT + GAP
	var found: Array[Rect2] = []
	if absf(at.x - size.x / 2.0) <= 8.0:
		var above := Rect2(Vector2(at.x - box.x / 2.0, at.y - box.y - away), box)
		var below := Rect2(Vector2(at.x - box.x / 2.0, at.y + away), box)
		found.assign([below, above] if at.y > size.y / 2.0 - 4.0 else [above, below])
	var left := at.x - box.x - away
	var right := at.x + away
	for i: int in MOST_STEPS * 2 + 1:
		var y := at.y - box.y / 2.0 + ceilf(i / 2.0) * box.y / 2.0 * (1.0 if i % 2 == 1 else -1.0)
		for x: float in ([left, right] if at.x < size.x / 2.0 else [right, left]) as Array[float]:
			found.append(Rect2(Vector2(x, y), box))
	return found


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
	if not _name_boxes.has(who):
		return
	var font := get_theme_font(&"font", &"Label")
	var text := _names[who]
	var tall := Look.font_size(self)
	var pos := _name_boxes[who].position + Vector2(0, font.get_ascent(tall))
	draw_string_outline(font, pos, text, HORIZONTAL_ALIGNMENT_LEFT, -1, tall, 5, Color(0, 0, 0, 0.55 if ink.v > 0.5 else 0.0))
	draw_string(font, pos, text, HORIZONTAL_ALIGNMENT_LEFT, -1, tall, Look.ACCENT.lightened(0.3) if is_main else ink)


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_node_ready():
		_place()


func _get_tooltip(at: Vector2) -> String:
	return _names.get(_nearest(at), "")


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
