class_name DemoRoofs
extends Node2D
## The roofs of the houses, for somebody who walks about in the town: the house in which the player is stands open, and all others
## are closed. Nobody sees the people below a closed roof.

## Over the light of the rooms, and below whoever walks past.
const BELOW_PEOPLE := 8
const FADE_S := 0.25
## Seconds between two looks at who is under which roof.
const LOOK_S := 0.1
## The height of a row of tiles, and the width of a tile, in pixels.
const ROW := 8.0
const TILE := 15.0

var town: DemoTown
## The player's body.
var avatar: Node2D

var _areas: Array[Rect2] = []
var _roofs: Array[Node2D] = []
var _wait_s: float = 0.0


func _ready() -> void:
	z_index = BELOW_PEOPLE
	z_as_relative = false
	for place: DemoTownPlan.TownPlace in town.plan.places:
		if place.open or place.is_room:
			continue
		var colour: Color = DemoPalette.ROOFS[_areas.size() % DemoPalette.ROOFS.size()]
		_areas.append(DemoTownPlan.to_pixels(place.rect))
		_roofs.append(DemoFigure.add_part(self, Vector2.ZERO, _draw_roof.bind(place.rect, colour)))
	_close(1.0)


func _process(delta: float) -> void:
	_close(delta / FADE_S)
	_wait_s -= delta
	if _wait_s <= 0.0:
		_wait_s = LOOK_S
		_hide_people()


## Returns whether a closed roof is over a position of the ground.
func is_closed_over(at: Vector2) -> bool:
	for i: int in _areas.size():
		if _areas[i].has_point(at):
			return _roofs[i].modulate.a > 0.5
	return false


## Closes and opens by a step of at most 1.
func _close(step: float) -> void:
	var closed: Array[Rect2] = []
	for i: int in _roofs.size():
		var wanted := 0.0 if _areas[i].has_point(avatar.position) else 1.0
		_roofs[i].modulate.a = move_toward(_roofs[i].modulate.a, wanted, step)
		_roofs[i].visible = _roofs[i].modulate.a > 0.0
		if _roofs[i].modulate.a > 0.5:
			closed.append(Rect2(_areas[i].position + town.get_ground_offset(), _areas[i].size))
	town.labels.closed = closed


func _hide_people() -> void:
	for person: DemoPerson in town.people:
		var is_seen := not is_closed_over(person.position)
		if person.visible != is_seen:
			person.visible = is_seen
			person.changed.emit()


## Tiles over the house but for its front. Doors stay free, so that one finds in.
func _draw_roof(onto: Node2D, house: Rect2i, colour: Color) -> void:
	var brush := DemoBrush.new()
	var area := DemoTownPlan.to_pixels(house)
	area.size.y -= DemoHouses.FRONT - DemoHouses.STEP
	var ridge := area.position.y + area.size.y * 0.45
	var doors: Array[Rect2] = []
	for cell: Vector2i in town.plan.doors:
		if house.has_point(cell) and not house.grow(-1).has_point(cell):
			doors.append(DemoTownPlan.to_pixels(Rect2i(cell, Vector2i.ONE)))
	for row: int in ceili(area.size.y / ROW):
		var y := area.position.y + row * ROW
		var far := absf(y - ridge) / area.size.y
		var shade := colour.darkened(0.12 + far * 0.3) if y < ridge else colour.lightened(0.1 - far * 0.25)
		for part: Vector2 in _get_parts(Rect2(area.position.x - 3.0, y, area.size.x + 6.0, minf(ROW, area.end.y - y)), doors):
			_draw_row(brush, Rect2(part.x, y, part.y - part.x, minf(ROW, area.end.y - y)), shade, row)
	brush.rect(Rect2(area.position.x - 3.0, ridge - 2.0, area.size.x + 6.0, 4.0), colour.lightened(0.18), colour.darkened(0.1))
	for chimney: DemoScenery.Chimney in (town.get_ground() as DemoGround).scenery.chimneys:
		if area.has_point(chimney.at):
			DemoHouses.draw_chimney(brush, chimney.at)
	brush.flush(onto)


## Returns where a row begins and ends: once, or more often if doors are in it.
func _get_parts(row: Rect2, doors: Array[Rect2]) -> Array[Vector2]:
	var parts: Array[Vector2] = [Vector2(row.position.x, row.end.x)]
	for door: Rect2 in doors:
		if not door.intersects(row):
			continue
		for i: int in range(parts.size() - 1, -1, -1):
			if parts[i].x < door.end.x and door.position.x < parts[i].y:
				var part: Vector2 = parts.pop_at(i)
				parts.append_array([Vector2(part.x, door.position.x), Vector2(door.end.x, part.y)])
	return parts.filter(func(part: Vector2) -> bool: return part.y > part.x)


func _draw_row(brush: DemoBrush, area: Rect2, colour: Color, row: int) -> void:
	brush.rect(area, colour)
	brush.rect(Rect2(area.position, Vector2(area.size.x, 1.3)), colour.darkened(0.2))
	var x := area.position.x + (TILE / 2.0 if row % 2 == 1 else 0.0)
	var at := 0
	while x < area.end.x:
		brush.rect(Rect2(x, area.position.y, 1.0, area.size.y), colour.darkened(0.14))
		if (at * 7 + row * 13) % 9 == 0:
			brush.rect(
				Rect2(x + 1.0, area.position.y + 1.3, minf(TILE - 1.0, area.end.x - x - 1.0), area.size.y - 1.3), colour.lightened(0.09)
			)
		x += TILE
		at += 1
