class_name DemoHouses
## Draws houses with the roof taken off: tiles remain around the edge, and one looks into the rooms. [DemoRoofs] puts it on again.

const CELL := DemoTownPlan.CELL
## How high the wall is that one sees from inside, and the front of the house from outside.
const INSIDE := 11.0
const FRONT := 17.0
## How far the front reaches below its cell.
const STEP := 5.0


static func draw(brush: DemoBrush, scenery: DemoScenery) -> void:
	var plan := scenery.plan
	var at := 0
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.open or place.is_room:
			continue
		var roof: Color = DemoPalette.ROOFS[at % DemoPalette.ROOFS.size()]
		at += 1
		_draw_shadow(brush, place.rect)
		for room: DemoTownPlan.TownPlace in plan.places:
			if room.is_room and place.rect.encloses(room.rect):
				_draw_floor(brush, room)
		_draw_walls(brush, scenery, place.rect, roof)
	for window: DemoScenery.Pane in scenery.windows:
		_draw_window(brush, window.area)
	for chimney: DemoScenery.Chimney in scenery.chimneys:
		draw_chimney(brush, chimney.at)


static func _draw_shadow(brush: DemoBrush, rect: Rect2i) -> void:
	var area := DemoTownPlan.to_pixels(rect)
	brush.rect(Rect2(area.position + Vector2(8, 8), area.size + Vector2(0, STEP)), DemoPalette.SHADOW)
	brush.rect(Rect2(area.position + Vector2(-4, area.size.y + STEP - 2), Vector2(area.size.x + 8, 4)), Color(DemoPalette.GRASS_DARK, 0.9))


static func _draw_floor(brush: DemoBrush, room: DemoTownPlan.TownPlace) -> void:
	var colours := DemoPalette.get_floor(room.address.substr(room.address.rfind(":")))
	var area := DemoTownPlan.to_pixels(room.rect)
	brush.rect(area, colours[0])
	for y: int in room.rect.size.y:
		if colours == DemoPalette.WOOD:
			_draw_planks(brush, area, y, colours[1])
			continue
		for x: int in room.rect.size.x:
			if (x + y) % 2 == 1:
				brush.rect(Rect2(area.position + Vector2(x, y) * CELL, Vector2(CELL, CELL)), colours[1])
	if colours == DemoPalette.WOOD and room.rect.size.x >= 5 and room.rect.size.y >= 4:
		_draw_rug(
			brush,
			area.get_center(),
			Vector2(room.rect.size) * CELL * 0.42,
			DemoPalette.RUGS[absi(hash(room.address)) % DemoPalette.RUGS.size()]
		)
	# The walls throw a shadow on the floor.
	brush.rect(Rect2(area.position, Vector2(area.size.x, 9)), Color(DemoPalette.SHADOW, 0.3), Color(DemoPalette.SHADOW, 0.0))
	brush.rect(Rect2(area.position, Vector2(4, area.size.y)), DemoPalette.SHADOW)


static func _draw_planks(brush: DemoBrush, area: Rect2, y: int, colour: Color) -> void:
	var top := area.position + Vector2(0, y * CELL)
	for half: int in 2:
		var row := top + Vector2(0, half * CELL / 2.0)
		brush.rect(Rect2(row, Vector2(area.size.x, 1.0)), colour)
		var at := 8.0 + fmod((y * 2 + half) * 29.0, 40.0)
		while at < area.size.x:
			brush.rect(Rect2(row + Vector2(at, 0), Vector2(1.0, CELL / 2.0)), colour)
			at += 46.0


static func _draw_rug(brush: DemoBrush, middle: Vector2, size: Vector2, colour: Color) -> void:
	var area := Rect2(middle - size / 2.0, size)
	brush.rect(area, Color(colour.darkened(0.2), 0.85))
	brush.rect(area.grow(-2.5), Color(colour, 0.9))
	brush.rect(area.grow(-6.0), Color(colour.lightened(0.25), 0.5))
	brush.rect(area.grow(-7.5), Color(colour, 0.9))


static func _draw_walls(brush: DemoBrush, scenery: DemoScenery, house: Rect2i, roof: Color) -> void:
	var plan := scenery.plan
	var wall := DemoPalette.PLASTER[absi(hash(house.position)) % DemoPalette.PLASTER.size()]
	for y: int in range(house.position.y, house.end.y):
		for x: int in range(house.position.x, house.end.x):
			var cell := Vector2i(x, y)
			if plan.walls.has(cell):
				_draw_wall(brush, plan, house, cell, [roof, wall])
			elif plan.doors.has(cell):
				_draw_door(brush, plan, house, cell, wall)
	var area := DemoTownPlan.to_pixels(house)
	brush.rect(Rect2(area.position - Vector2(3, 3), Vector2(area.size.x + 6, 3)), roof.darkened(0.35))
	for x: float in [area.position.x - 3.0, area.end.x] as Array[float]:
		brush.rect(Rect2(x, area.position.y, 3, area.size.y - FRONT + STEP), roof.darkened(0.3))


## Draws the top of a wall, and below it the side that one sees.
static func _draw_wall(brush: DemoBrush, plan: DemoTownPlan, house: Rect2i, cell: Vector2i, colours: Array[Color]) -> void:
	var area := Rect2(Vector2(cell * CELL), Vector2(CELL, CELL))
	var is_edge := not house.grow(-1).has_point(cell)
	var is_front := cell.y == house.end.y - 1
	if is_edge:
		_draw_tiles(brush, area, colours[0], cell)
	else:
		brush.rect(area, DemoPalette.WALL_TOP)
	if is_front:
		_draw_front(brush, area, colours[1], cell)
	elif not plan.walls.has(cell + Vector2i.DOWN):
		var face := Rect2(area.position + Vector2(0, CELL - INSIDE), Vector2(CELL, INSIDE))
		brush.rect(face, DemoPalette.WALLPAPER.darkened(0.12), DemoPalette.WALLPAPER)
		brush.rect(Rect2(face.position + Vector2(0, INSIDE - 2.5), Vector2(CELL, 2.5)), DemoPalette.WALL)
		brush.rect(Rect2(face.position, Vector2(CELL, 1.2)), DemoPalette.WALL)


static func _draw_tiles(brush: DemoBrush, area: Rect2, roof: Color, cell: Vector2i) -> void:
	brush.rect(area, roof)
	for row: int in 3:
		var y := area.position.y + row * CELL / 3.0
		brush.rect(Rect2(area.position.x, y, CELL, 1.4), roof.darkened(0.22))
		for i: int in 3:
			var x := area.position.x + fmod(i * CELL / 3.0 + (row + cell.y) % 2 * CELL / 6.0, CELL)
			brush.rect(Rect2(x, y, 1.0, CELL / 3.0), roof.darkened(0.16))
			if (cell.x * 7 + cell.y * 13 + row * 5 + i * 3) % 7 == 0:
				brush.rect(Rect2(x + 1.0, y + 1.4, CELL / 3.0 - 1.0, CELL / 3.0 - 1.4), roof.lightened(0.1))


static func _draw_front(brush: DemoBrush, area: Rect2, wall: Color, cell: Vector2i) -> void:
	var front := Rect2(area.position + Vector2(0, CELL - FRONT + STEP), Vector2(CELL, FRONT))
	brush.rect(Rect2(front.position - Vector2(0, 2), Vector2(CELL, 2.0)), DemoPalette.SHADOW)
	brush.rect(front, wall.darkened(0.1), wall)
	brush.rect(Rect2(front.position, Vector2(CELL, 3.0)), Color(DemoPalette.SHADOW, 0.3))
	if cell.x % 3 == 0:
		brush.rect(Rect2(front.position, Vector2(2.5, FRONT)), DemoPalette.TIMBER)
	brush.rect(Rect2(front.position + Vector2(0, FRONT - 4.0), Vector2(CELL, 4.0)), DemoPalette.STONE[1].darkened(0.12))


static func _draw_door(brush: DemoBrush, plan: DemoTownPlan, house: Rect2i, cell: Vector2i, wall: Color) -> void:
	var area := Rect2(Vector2(cell * CELL), Vector2(CELL, CELL))
	var is_front := cell.y == house.end.y - 1
	brush.rect(Rect2(area.position, area.size + Vector2(0, STEP if is_front else 0.0)), DemoPalette.DOOR.darkened(0.25))
	for i: int in 4:
		brush.rect(Rect2(area.position + Vector2(i * 6.0, 0), Vector2(5.0, CELL)), DemoPalette.DOOR)
	if plan.walls.has(cell + Vector2i.LEFT):
		var high := CELL + (STEP if is_front else 0.0)
		for x: float in [0.0, CELL - 3.0] as Array[float]:
			brush.rect(Rect2(area.position + Vector2(x, 0), Vector2(3.0, high)), DemoPalette.TIMBER, DemoPalette.TIMBER.darkened(0.2))
	else:
		for y: float in [0.0, CELL - 3.0] as Array[float]:
			brush.rect(Rect2(area.position + Vector2(0, y), Vector2(CELL, 3.0)), DemoPalette.TIMBER)
	if is_front:
		brush.rect(Rect2(area.position + Vector2(1, CELL + 2.0), Vector2(CELL - 2, 6.0)), DemoPalette.STONE[0], wall.darkened(0.3))


static func _draw_window(brush: DemoBrush, area: Rect2) -> void:
	brush.rect(area.grow(1.6), DemoPalette.TIMBER)
	brush.rect(area, DemoPalette.GLASS, DemoPalette.GLASS.darkened(0.2))
	brush.shape([area.position, area.position + Vector2(6, 0), area.position + Vector2(0, 8)], Color(1, 1, 1, 0.35))
	brush.rect(Rect2(area.position + Vector2(area.size.x / 2.0 - 0.6, 0), Vector2(1.2, area.size.y)), DemoPalette.TIMBER)
	brush.rect(Rect2(area.position + Vector2(0, area.size.y / 2.0 - 0.6), Vector2(area.size.x, 1.2)), DemoPalette.TIMBER)
	for i: int in 4:
		var at := Vector2(area.position.x + 1.5 + i * 4.0, area.end.y + 2.5)
		brush.disc(at, 2.0, DemoPalette.LEAF)
		brush.disc(at + Vector2(0, -1.2), 1.3, DemoTerrain.PETALS[(i + int(area.position.x)) % DemoTerrain.PETALS.size()])


## Draws a chimney as one sees it from above.
static func draw_chimney(brush: DemoBrush, at: Vector2) -> void:
	brush.rect(Rect2(at + Vector2(-3, -5), Vector2(16, 14)), DemoPalette.SHADOW)
	brush.rect(Rect2(at + Vector2(-6, -8), Vector2(12, 14)), DemoPalette.BRICK, DemoPalette.BRICK.darkened(0.2))
	brush.rect(Rect2(at + Vector2(-7, -9), Vector2(14, 3)), DemoPalette.BRICK.darkened(0.3))
	brush.rect(Rect2(at + Vector2(-3, -8.5), Vector2(6, 2)), DemoPalette.INK)
