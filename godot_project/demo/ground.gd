class_name DemoGround
extends Node2D
## Draws everything that does not move: grass, lanes, floors and walls. Lines are sent to the renderer in few large
## calls.

const CELL := DemoTownPlan.CELL

var plan: DemoTownPlan


func _draw() -> void:
	var whole := DemoTownPlan.to_pixels(Rect2i(Vector2i.ZERO, plan.size))
	draw_rect(whole.grow(5.0), DemoPalette.WALL)
	draw_rect(whole, DemoPalette.GRASS)
	var rng := RandomNumberGenerator.new()
	rng.seed = 4
	_draw_grass(rng)
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.open and place.is_room and not place.is_lane():
			_draw_lawn(place.rect)
	for path: Rect2i in plan.paths:
		draw_rect(DemoTownPlan.to_pixels(path).grow(2.0), DemoPalette.PATH_EDGE)
	for path: Rect2i in plan.paths:
		draw_rect(DemoTownPlan.to_pixels(path), DemoPalette.PATH)
		for i: int in path.get_area() * 2:
			var at := DemoTownPlan.to_pixels(path).position + Vector2(rng.randf(), rng.randf()) * Vector2(path.size * CELL)
			# Squares go to the renderer together, circles one by one.
			draw_rect(Rect2(at, Vector2.ONE * rng.randf_range(1.4, 3.0)), Color(DemoPalette.PATH_EDGE, 0.6))
	_draw_houses()
	_draw_trees(rng)


func _draw_grass(rng: RandomNumberGenerator) -> void:
	var points := PackedVector2Array()
	var colours := PackedColorArray()
	for i: int in 900:
		var at := Vector2(rng.randf(), rng.randf()) * Vector2(plan.size * CELL)
		colours.append(DemoPalette.GRASS_DARK if rng.randf() < 0.6 else DemoPalette.GRASS_LIGHT)
		points.append_array([at, at + Vector2(rng.randf_range(-2.0, 2.0), -rng.randf_range(3.0, 5.0))])
	draw_multiline_colors(points, colours, 1.5)


func _draw_lawn(rect: Rect2i) -> void:
	var area := DemoTownPlan.to_pixels(rect)
	for i: int in rect.size.x:
		var stripe := Rect2(area.position + Vector2(i * CELL, 0), Vector2(CELL, area.size.y))
		draw_rect(stripe, DemoPalette.LAWN if i % 2 == 0 else DemoPalette.GRASS_LIGHT)


func _draw_houses() -> void:
	for place: DemoTownPlan.TownPlace in plan.places:
		if not place.open and not place.is_room:
			var area := DemoTownPlan.to_pixels(place.rect)
			draw_rect(Rect2(area.position + Vector2(5, 6), area.size), DemoPalette.SHADOW)
			draw_rect(area, DemoPalette.WALL)
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.is_room and not place.open:
			_draw_floor(place)
	for wall: Vector2i in plan.walls:
		# A lighter top lets walls stand out from the floor below them.
		var cell := Rect2(Vector2(wall * CELL), Vector2(CELL, CELL))
		var below := wall + Vector2i.DOWN
		draw_rect(Rect2(cell.position, Vector2(CELL, CELL - (7 if not plan.walls.has(below) else 0))), DemoPalette.WALL_TOP)
	for door: Vector2i in plan.doors:
		var cell := Rect2(Vector2(door * CELL), Vector2(CELL, CELL))
		draw_rect(cell, DemoPalette.DOOR)
		for i: int in 3:
			draw_line(
				cell.position + Vector2(3 + i * 8, 2), cell.position + Vector2(3 + i * 8, CELL - 2), DemoPalette.DOOR.darkened(0.18), 1.5
			)


func _draw_floor(place: DemoTownPlan.TownPlace) -> void:
	var rect := place.rect
	var colours := DemoPalette.get_floor(place.address.substr(place.address.rfind(":")))
	var area := DemoTownPlan.to_pixels(rect)
	if colours == DemoPalette.WOOD:
		draw_rect(area, colours[0])
		draw_multiline(_planks(rect), colours[1], 1.0)
	else:
		for y: int in rect.size.y:
			for x: int in rect.size.x:
				draw_rect(DemoTownPlan.to_pixels(Rect2i(rect.position + Vector2i(x, y), Vector2i.ONE)), colours[(x + y) % 2])
	draw_rect(Rect2(area.position, Vector2(area.size.x, 4)), DemoPalette.SHADOW)
	draw_rect(Rect2(area.position, Vector2(3, area.size.y)), DemoPalette.SHADOW)


## Returns two rows of planks for each row of cells, with a joint in each cell.
func _planks(rect: Rect2i) -> PackedVector2Array:
	var lines := PackedVector2Array()
	var area := DemoTownPlan.to_pixels(rect)
	for y: int in rect.size.y:
		var top := area.position + Vector2(0, y * CELL)
		for half: float in [0.0, CELL / 2.0] as Array[float]:
			lines.append_array([top + Vector2(0, half), top + Vector2(area.size.x, half)])
		for x: int in rect.size.x:
			var joint := top + Vector2(x * CELL + (6 if y % 2 == 0 else 16), 0)
			lines.append_array([joint, joint + Vector2(0, CELL / 2.0)])
	return lines


func _draw_trees(rng: RandomNumberGenerator) -> void:
	var taken: Array[Vector2] = []
	for i: int in 400:
		var cell := Vector2i(rng.randi_range(0, plan.size.x - 1), rng.randi_range(0, plan.size.y - 1))
		var at := DemoTownPlan.get_middle(cell) + Vector2(rng.randf_range(-5, 5), rng.randf_range(-5, 5))
		if _is_built(cell) or taken.any(func(other: Vector2) -> bool: return other.distance_to(at) < 38.0):
			continue
		taken.append(at)
		var r := rng.randf_range(9.0, 14.0)
		draw_circle(at + Vector2(3, 5), r, DemoPalette.SHADOW)
		draw_circle(at, r, Color("587a45"))
		draw_circle(at + Vector2(-2, -3), r * 0.72, Color("688d50"))
		draw_circle(at + Vector2(-4, -5), r * 0.35, Color("7da163"))


func _is_built(cell: Vector2i) -> bool:
	var around := Rect2i(cell - Vector2i.ONE, Vector2i(3, 3))
	for path: Rect2i in plan.paths:
		if path.intersects(around):
			return true
	for place: DemoTownPlan.TownPlace in plan.places:
		if not place.is_town() and not place.is_lane() and place.rect.intersects(around):
			return true
	return not Rect2i(Vector2i.ZERO, plan.size).encloses(around)
