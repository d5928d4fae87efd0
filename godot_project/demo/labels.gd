class_name DemoLabels
extends CanvasLayer
## The texts over the town: names of places and people, and speech bubbles. They have the same size at every zoom, do
## not overlap, and are laid out again only when something has moved.

const MOST_BUBBLES := 3
## How many names may be stacked where people stand together.
const MOST_LEVELS := 16
const GAP := 3.0
## Distances in pixels between a name and its speech bubble.
const ABOVE := 12.0
const BELOW := 40.0
const BESIDE := 16.0

var town: DemoTown
## No bubble is shown below this height of the screen, where another panel is; 0 for no limit.
var bottom: float = 0.0:
	set(value):
		if value != bottom:
			bottom = value
			_is_settled = false

var _names := DemoNames.new()
var _labels: Array[DemoLabel] = []
## Sorted from the bottom of the screen to the top. The lowest labels keep their positions.
var _order: Array[DemoLabel] = []
var _bubbles: Array[DemoBubble] = []
## The rectangles of the names.
var _boxes: Array[Rect2] = []
var _view := Transform2D(0.0, Vector2.INF)
var _is_settled: bool = false


func _ready() -> void:
	_names.plan = town.plan
	add_child(_names)
	for person: DemoPerson in town.people:
		var label := DemoLabel.new()
		label.person = person
		add_child(label)
		_labels.append(label)
		person.changed.connect(_on_changed.bind(person))
	_order = _labels.duplicate()


## Returns the person whose name is at a position of the screen, or [code]null[/code].
func get_person_at(at: Vector2) -> DemoPerson:
	var found: DemoPerson = null
	for label: DemoLabel in _order:
		if label.get_shown_rect().has_point(at):
			found = label.person
	return found


func get_label(person: DemoPerson) -> DemoLabel:
	return _labels[town.people.find(person)]


## Returns how many speech bubbles are shown.
func count_bubbles() -> int:
	return _bubbles.filter(func(bubble: DemoBubble) -> bool: return bubble.stays and bubble.visible).size()


func _process(delta: float) -> void:
	var view := get_viewport().canvas_transform
	if view != _view:
		_view = view
		_is_settled = false
		_names.look_from(view, town.get_ground_offset())
	for label: DemoLabel in _labels:
		var anchor := view * label.person.get_top()
		if absf(anchor.x - label.anchor.x) + absf(anchor.y - label.anchor.y) > 0.2:
			label.anchor = anchor
			_is_settled = false
	if not _is_settled:
		_is_settled = _place_labels(delta)
		_place_bubbles()
	for bubble: DemoBubble in _bubbles.duplicate() as Array[DemoBubble]:
		if bubble.fade(delta):
			_bubbles.erase(bubble)
			bubble.queue_free()
			_is_settled = false  # there may be room for another bubble now


## Moves the names apart. Returns [code]true[/code] when none moves any more.
func _place_labels(delta: float) -> bool:
	_sort()
	var settled := true
	var placed: Array[Rect2] = []
	for label: DemoLabel in _order:
		var shift := _free_shift(label, placed)
		placed.append(label.get_rect(shift).grow(GAP / 2.0))
		settled = label.glide(shift, delta) and settled
	_boxes = placed
	return settled


## Returns the first free position: right above the head, or higher and to the sides where many stand together.
func _free_shift(label: DemoLabel, placed: Array[Rect2]) -> Vector2:
	for level: int in MOST_LEVELS:
		for side: int in [0, -1, 1] as Array[int] if level > 0 else [0] as Array[int]:
			var shift := Vector2(side * (label.wide * 0.5 + 16.0), -level * (DemoLabel.HIGH + GAP))
			if not _hits(label.get_rect(shift).grow(GAP / 2.0 - 0.1), placed):
				return shift
	return Vector2.ZERO


static func _hits(box: Rect2, others: Array[Rect2]) -> bool:
	for other: Rect2 in others:
		if other.intersects(box):
			return true
	return false


## An insertion sort, because hardly any two change places from one frame to the next.
func _sort() -> void:
	for i: int in range(1, _order.size()):
		var label := _order[i]
		var at := i
		while at > 0 and _order[at - 1].anchor.y < label.anchor.y:
			_order[at] = _order[at - 1]
			at -= 1
		_order[at] = label


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
	return 0.0 if person.chosen else (_view * person.get_top()).distance_to(DemoCamera.WINDOW.get_center())


func _place_bubbles() -> void:
	var placed: Array[Rect2] = []
	var window := DemoCamera.WINDOW.grow(12.0)
	if bottom > 0.0:
		window.end.y = minf(window.end.y, bottom - GAP)
	for bubble: DemoBubble in _bubbles:
		if not bubble.stays:
			continue  # it fades out where it is
		var name_box := get_label(bubble.person).get_shown_rect()
		var found := _find_room(name_box, bubble.box, placed, window)
		bubble.visible = found.size != Vector2.ZERO
		if bubble.visible:
			placed.append(found)
			bubble.put(found.position, name_box)


## Returns a rectangle beside all other bubbles that covers as few names as possible. It is empty if there is none.
func _find_room(name_box: Rect2, size: Vector2, placed: Array[Rect2], window: Rect2) -> Rect2:
	var best := Rect2()
	var least := _boxes.size() + 1
	for choice: Rect2 in _places_near(name_box, size):
		choice.position.x = clampf(choice.position.x, window.position.x, window.end.x - size.x)
		if not window.encloses(choice) or choice.intersects(name_box) or _hits(choice, placed):
			continue
		var covered := 0
		for box: Rect2 in _boxes:
			covered += 1 if box.intersects(choice) else 0
		if covered < least:
			best = choice
			least = covered
		if covered == 0:
			break
	return best


## Returns rectangles for a bubble, the best first: above the name, higher, beside it, below.
func _places_near(name_box: Rect2, size: Vector2) -> Array[Rect2]:
	var middle := name_box.get_center()
	var found: Array[Rect2] = []
	for above: float in [ABOVE, ABOVE + 24.0, ABOVE + 48.0, ABOVE + 72.0, ABOVE + 96.0] as Array[float]:
		for side: float in [0.5, 0.85, 0.15] as Array[float]:
			found.append(Rect2(Vector2(middle.x - size.x * side, name_box.position.y - above - size.y), size))
	for x: float in [name_box.end.x + BESIDE, name_box.position.x - BESIDE - size.x] as Array[float]:
		found.append(Rect2(Vector2(x, name_box.position.y - size.y), size))
	for below: float in [BELOW, BELOW + 24.0] as Array[float]:
		found.append(Rect2(Vector2(middle.x - size.x / 2.0, name_box.end.y + below), size))
	return found
