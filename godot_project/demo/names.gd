class_name DemoNames
extends Node2D
## The names of houses and rooms, in the same size at every zoom. They make way for people and what is written of them.

## Where along its wall the name of a house may stand; 0.5 is the middle.
const ALONG: Array[float] = [0.5, 0.0, 1.0, 0.25, 0.75]

var plan: DemoTownPlan

var _houses: Array[DemoSign] = []
var _rooms: Array[DemoSign] = []
var _zoom: float = 0.0


## Adapts to the camera. [param offset] is the position of the town in the world.
func look_from(view: Transform2D, offset: Vector2) -> void:
	position = view.origin.round()
	if view.get_scale().x != _zoom:
		_zoom = view.get_scale().x
		_write(offset)


## Takes on the size of texts that the player has chosen, at the next look.
func fit() -> void:
	_zoom = 0.0


## Places the names of houses where they cover nothing, and adds them to what is taken. Returns the rectangles of those that
## are shown.
func place_houses(taken: DemoTaken, window: Rect2) -> Array[Rect2]:
	var shown: Array[Rect2] = []
	for house: DemoSign in _houses:
		house.stand(taken, window, position)
		if house.visible:
			shown.append(house.get_shown_rect(position))
			taken.add(shown[-1])
	return shown


## Hides the names of houses under one of the rectangles.
func hide_under(boxes: Array[Rect2]) -> void:
	for house: DemoSign in _houses:
		house.visible = house.visible and not DemoLabels.hits(house.get_shown_rect(position), boxes)


## Shows the names of the rooms that cover nothing.
func place_rooms(taken: DemoTaken, window: Rect2) -> void:
	for room: DemoSign in _rooms:
		room.stand(taken, window, position)


## Returns the rectangles of all names that are shown.
func get_shown_rects() -> Array[Rect2]:
	var shown: Array[Rect2] = []
	for words: DemoSign in _houses + _rooms:
		if words.visible:
			shown.append(words.get_shown_rect(position))
	return shown


func _write(offset: Vector2) -> void:
	for old: DemoSign in _houses + _rooms:
		old.queue_free()
	_houses.clear()
	_rooms.clear()
	for place: DemoTownPlan.TownPlace in plan.places:
		var area := DemoTownPlan.to_pixels(place.rect)
		area = Rect2((area.position + offset) * _zoom, area.size * _zoom)
		if place.is_room and not place.open:
			_add_room(place, area)
		elif not place.is_room and not place.is_town() and not place.is_lane():
			_add_house(place, area)


## A house's name stands on the wall that has no door or outside it, and that of an open place at its edge.
func _add_house(place: DemoTownPlan.TownPlace, area: Rect2) -> void:
	var words := place.name.trim_prefix("the ")
	words = words[0].to_upper() + words.substr(1)
	var size := Vector2(DemoSign.get_width(words), DemoSign.get_height())
	var wall := DemoTownPlan.CELL * _zoom
	var top := area.position.y + (wall - size.y) / 2.0
	var bottom := area.end.y - (wall + size.y) / 2.0
	var rows := PackedFloat32Array([top, bottom])
	if not place.open and plan.has_door_above(place.rect):
		rows = [bottom, area.end.y + 1.0]
	elif not place.open:
		rows = [top, area.position.y - size.y - 1.0]
	var choices: Array[Rect2] = []
	for y: float in rows:
		for along: float in ALONG:
			choices.append(Rect2(Vector2(area.position.x + (area.size.x - size.x) * along, y), size))
	_houses.append(_add(words, false, choices))


## A room's name is left out where it has no room.
func _add_room(place: DemoTownPlan.TownPlace, area: Rect2) -> void:
	var size := Vector2(DemoSign.get_width(place.name), DemoSign.get_height())
	if size.x + 4.0 < area.size.x and area.size.y > size.y * 1.5:
		var row := plan.get_name_row(place.rect) - place.rect.position.y
		var y := clampf((row + 0.5) * DemoTownPlan.CELL * _zoom - size.y / 2.0, 2.0, area.size.y - size.y - 2.0)
		var at := Vector2(area.get_center().x - size.x / 2.0, area.position.y + y)
		_rooms.append(_add(place.name, true, [Rect2(at, size)]))


func _add(words: String, is_room: bool, choices: Array[Rect2]) -> DemoSign:
	var made := DemoSign.new()
	made.words = words
	made.is_room = is_room
	made.choices = choices
	add_child(made)
	return made
