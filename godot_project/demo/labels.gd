class_name DemoLabels
extends CanvasLayer
## The texts over the town: names of places and people, and speech bubbles. They have the same size at every zoom. None
## covers another, or a person. They are laid out again only when something has moved.

const MOST_BUBBLES := 3
## How many names may be stacked where people stand together.
const MOST_LEVELS := 16
const GAP := 3.0
## Distances in pixels between a name and its speech bubble.
const ABOVE := 12.0
const BELOW := 40.0
const BESIDE := 16.0

var town: DemoTown
## The part of the screen that no panel covers.
var free := DemoCamera.WINDOW
## Under these parts of the world, closed roofs, no names of rooms are shown.
var closed: Array[Rect2] = []:
	set(value):
		if value != closed:
			closed = value
			_is_settled = false
## The player's body, which no text covers; [code]null[/code] for none.
var player: Node2D = null
## The parts of [member free] that panels cover. No text is put below them.
var covered: Array[Rect2] = []:
	set(value):
		if value != covered:
			covered = value
			_is_settled = false
## Nothing is shown below this height of the screen, where another panel is; 0 for no limit.
var bottom: float = 0.0:
	set(value):
		if value != bottom:
			bottom = value
			_is_settled = false

var _names := DemoNames.new()
var _labels: Array[DemoLabel] = []
## Sorted from the bottom of the screen to the top, behind the person whom the player talks with. The first choose first.
var _order: Array[DemoLabel] = []
var _bubbles: Array[DemoBubble] = []
## The objects whose state is written below them, because something is wrong with them.
var _wrong: Array[DemoFurniture] = []
## The rectangles of the people and the panels, of the names of houses, and of the people's names.
var _people: Array[Rect2] = []
var _houses: Array[Rect2] = []
var _boxes: Array[Rect2] = []
## All of these together, while they are laid out.
var _taken := DemoTaken.new()
var _player_area := Rect2()
var _view := Transform2D(0.0, Vector2.INF)
var _is_settled: bool = false


func _ready() -> void:
	add_to_group(DemoTextSize.GROUP)
	_names.plan = town.plan
	add_child(_names)
	for person: DemoPerson in town.people:
		var label := DemoLabel.new()
		label.person = person
		add_child(label)
		_labels.append(label)
		person.changed.connect(_on_changed.bind(person))
	_order = _labels.duplicate()
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		var object := node as DemoFurniture
		object.state_changed.connect(func(_state: String, _by: String) -> void: _note_state(object))
		_note_state(object)


## Returns the person whose name is at a position of the screen, or [code]null[/code].
func get_person_at(at: Vector2) -> DemoPerson:
	for label: DemoLabel in _order:
		if label.visible and label.get_shown_rect().has_point(at):
			return label.person
	return null


func get_label(person: DemoPerson) -> DemoLabel:
	return _labels[town.people.find(person)]


## Takes on the size of texts that the player has chosen.
func fit_texts() -> void:
	for label: DemoLabel in _labels:
		label.fit()
	for bubble: DemoBubble in _bubbles:
		bubble.say(bubble.text)
	_names.fit()
	_view = Transform2D(0.0, Vector2.INF)


## Returns how many speech bubbles are shown.
func count_bubbles() -> int:
	return _bubbles.filter(func(bubble: DemoBubble) -> bool: return bubble.stays and bubble.visible).size()


## Returns [code]true[/code] if a rectangle covers a part of another one.
static func hits(box: Rect2, others: Array[Rect2]) -> bool:
	for other: Rect2 in others:
		if other.intersects(box):
			return true
	return false


func _process(delta: float) -> void:
	var view := get_viewport().canvas_transform
	if view != _view:
		_view = view
		_is_settled = false
		_names.look_from(view, town.get_ground_offset())
	if player != null and not (view * _get_area_of_player()).is_equal_approx(_player_area):
		_player_area = view * _get_area_of_player()
		_is_settled = false
	for label: DemoLabel in _labels:
		var figure := view * label.person.get_area()
		if absf(figure.position.x - label.figure.position.x) + absf(figure.position.y - label.figure.position.y) > 0.2:
			label.figure = figure
			_is_settled = false
	if not _is_settled:
		_is_settled = true
		_place()
	for bubble: DemoBubble in _bubbles.duplicate() as Array[DemoBubble]:
		if bubble.fade(delta):
			_bubbles.erase(bubble)
			bubble.queue_free()
			_is_settled = false  # there may be room for another bubble now


func _place() -> void:
	_sort()
	var window := _get_window()
	_people.clear()
	for label: DemoLabel in _labels:
		if label.person.visible:
			_people.append(label.figure)
	if player != null:
		_people.append(_player_area)
	_people.append_array(covered)
	_taken.clear()
	_taken.add_all(_people)
	for object: DemoFurniture in _wrong:
		_taken.add(_view * object.get_state_area())
	_houses = _names.place_houses(_taken, window)
	_boxes.clear()
	for label: DemoLabel in _order:
		label.stand(_taken, window)
		if label.visible:
			_boxes.append(label.get_shown_rect())
			_taken.add(_boxes[-1].grow(GAP / 2.0))
	var spoken := _place_bubbles(window)
	_names.hide_under(spoken)
	_taken.add_all(spoken)
	for roof: Rect2 in closed:
		_taken.add(_view * roof)
	_names.place_rooms(_taken, window)


func _note_state(object: DemoFurniture) -> void:
	_wrong.erase(object)
	if object.shows_state():
		_wrong.append(object)
	_is_settled = false


func _get_area_of_player() -> Rect2:
	return player.global_transform * DemoPerson.STANDING


## Returns the part of the screen that no panel covers.
func _get_window() -> Rect2:
	var window := free.grow(6.0)
	if bottom > 0.0:
		window.end.y = minf(window.end.y, bottom - GAP)
	return window


## An insertion sort, because hardly any two change places from one frame to the next.
func _sort() -> void:
	for i: int in range(1, _order.size()):
		var label := _order[i]
		var at := i
		while at > 0 and _rank(_order[at - 1]) < _rank(label):
			_order[at] = _order[at - 1]
			at -= 1
		_order[at] = label


func _rank(label: DemoLabel) -> float:
	return INF if label.person.chosen else label.figure.position.y


# ---- speech bubbles


func _on_changed(person: DemoPerson) -> void:
	var bubble := _bubble_of(person)
	if bubble != null and bubble.text == person.said:
		return
	if bubble != null and person.said.is_empty():
		bubble.stays = false
	elif bubble != null:
		bubble.say(person.said)
	elif not person.said.is_empty() and _has_room_for(person):
		bubble = DemoBubble.new()
		bubble.person = person
		bubble.text = person.said
		add_child(bubble)
		# The person whom the player talks with gets the first choice of room.
		_bubbles.insert(0 if person.chosen else _bubbles.size(), bubble)
	_is_settled = false


func _bubble_of(person: DemoPerson) -> DemoBubble:
	for bubble: DemoBubble in _bubbles:
		if bubble.person == person and bubble.stays:
			return bubble
	return null


## Returns [code]true[/code] if another bubble may be shown. Those nearest to the middle of the view count, and the
## person whom the player talks with.
func _has_room_for(person: DemoPerson) -> bool:
	var shown := _bubbles.filter(func(bubble: DemoBubble) -> bool: return bubble.stays)
	if shown.size() < MOST_BUBBLES:
		return true
	var farthest: DemoBubble = null
	for bubble: DemoBubble in shown:
		if farthest == null or _distance(bubble.person) > _distance(farthest.person):
			farthest = bubble
	if _distance(person) >= _distance(farthest.person):
		return false
	farthest.stays = false
	return true


func _distance(person: DemoPerson) -> float:
	return 0.0 if person.chosen else (_view * person.global_position).distance_to(free.get_center())


## Returns the rectangles of the bubbles that are shown.
func _place_bubbles(window: Rect2) -> Array[Rect2]:
	var placed: Array[Rect2] = []
	for bubble: DemoBubble in _bubbles:
		if not bubble.stays:
			continue  # it fades out where it is
		var label := get_label(bubble.person)
		var name_box := label.get_shown_rect()
		var found := _find_room(bubble, name_box, placed, window) if label.visible else Rect2()
		bubble.visible = found.size != Vector2.ZERO
		if bubble.visible:
			placed.append(found)
			bubble.put(found.position, name_box)
	return placed


## Returns a rectangle that covers no other bubble, no name, nobody and no panel, and if possible no house's name. The one where
## the bubble is comes first. It is empty if there is none.
func _find_room(bubble: DemoBubble, name_box: Rect2, placed: Array[Rect2], window: Rect2) -> Rect2:
	var second := Rect2()
	for choice: Rect2 in [bubble.get_rect_at(name_box)] + _places_near(name_box, bubble.box):
		choice.position.x = clampf(choice.position.x, window.position.x, window.end.x - bubble.box.x)
		if not window.encloses(choice) or hits(choice, placed) or hits(choice, _boxes) or hits(choice, _people):
			continue
		if not hits(choice, _houses):
			return choice
		if second.size == Vector2.ZERO:
			second = choice
	return second


## Returns rectangles for a bubble, the best first: above the name, higher, beside it, below.
func _places_near(name_box: Rect2, size: Vector2) -> Array[Rect2]:
	var middle := name_box.get_center()
	var found: Array[Rect2] = []
	for step: int in 6:
		for side: float in [0.5, 0.85, 0.15] as Array[float]:
			found.append(Rect2(Vector2(middle.x - size.x * side, name_box.position.y - ABOVE - step * 24.0 - size.y), size))
	for step: int in 4:
		for x: float in [name_box.end.x + BESIDE, name_box.position.x - BESIDE - size.x] as Array[float]:
			found.append(Rect2(Vector2(x, name_box.end.y + step * 20.0 - size.y), size))
	for step: int in 6:
		for side: float in [0.5, 0.85, 0.15] as Array[float]:
			found.append(Rect2(Vector2(middle.x - size.x * side, name_box.end.y + BELOW + step * 24.0), size))
	return found
