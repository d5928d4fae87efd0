class_name DemoGround
extends Node2D
## Grass, lanes, floors, walls and names: all that does not move.

const CELL := DemoTownPlan.CELL

var plan: DemoTownPlan


func _draw() -> void:
	var whole := DemoTownPlan.to_pixels(Rect2i(Vector2i.ZERO, plan.size))
	draw_rect(whole.grow(5.0), DemoPalette.WALL)
	draw_rect(whole, DemoPalette.GRASS)
	var rng := RandomNumberGenerator.new()
	rng.seed = 4
	_draw_grass(rng)
	for place: Dictionary in plan.places:
		if place["open"] and place["is_room"] and not str(place["address"]).contains(":lane:"):
			_draw_lawn(place["rect"] as Rect2i)
	for path: Rect2i in plan.paths:
		draw_rect(DemoTownPlan.to_pixels(path).grow(2.0), DemoPalette.PATH_EDGE)
	for path: Rect2i in plan.paths:
		draw_rect(DemoTownPlan.to_pixels(path), DemoPalette.PATH)
		for i: int in path.get_area() * 2:
			var at := DemoTownPlan.to_pixels(path).position + Vector2(rng.randf(), rng.randf()) * Vector2(path.size * CELL)
			draw_circle(at, rng.randf_range(0.8, 1.8), Color(DemoPalette.PATH_EDGE, 0.6))
	_draw_houses()
	_draw_trees(rng)
	_draw_names()


func _draw_grass(rng: RandomNumberGenerator) -> void:
	for i: int in 900:
		var at := Vector2(rng.randf(), rng.randf()) * Vector2(plan.size * CELL)
		var colour := DemoPalette.GRASS_DARK if rng.randf() < 0.6 else DemoPalette.GRASS_LIGHT
		draw_line(at, at + Vector2(rng.randf_range(-2.0, 2.0), -rng.randf_range(3.0, 5.0)), colour, 1.5)


func _draw_lawn(rect: Rect2i) -> void:
	var area := DemoTownPlan.to_pixels(rect)
	for i: int in rect.size.x:
		var stripe := Rect2(area.position + Vector2(i * CELL, 0), Vector2(CELL, area.size.y))
		draw_rect(stripe, DemoPalette.LAWN if i % 2 == 0 else DemoPalette.GRASS_LIGHT)


func _draw_houses() -> void:
	for place: Dictionary in plan.places:
		if not place["open"] and not place["is_room"]:
			var area := DemoTownPlan.to_pixels(place["rect"] as Rect2i)
			draw_rect(Rect2(area.position + Vector2(5, 6), area.size), DemoPalette.SHADOW)
			draw_rect(area, DemoPalette.WALL)
	for place: Dictionary in plan.places:
		if place["is_room"] and not place["open"]:
			_draw_floor(place)
	for wall: Vector2i in plan.walls:
		# A lighter top, so that walls stand up from the floor below them.
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


func _draw_floor(place: Dictionary) -> void:
	var rect: Rect2i = place["rect"]
	var address: String = place["address"]
	var colours := DemoPalette.floor_of(address.substr(address.rfind(":")))
	var planks := colours == DemoPalette.WOOD
	for y: int in rect.size.y:
		for x: int in rect.size.x:
			var cell := Rect2(Vector2((rect.position + Vector2i(x, y)) * CELL), Vector2(CELL, CELL))
			if planks:
				draw_rect(cell, colours[0])
				draw_line(cell.position + Vector2(0, CELL / 2.0), cell.position + Vector2(CELL, CELL / 2.0), colours[1], 1.0)
				draw_line(cell.position, cell.position + Vector2(CELL, 0), colours[1], 1.0)
				var joint := 6 if y % 2 == 0 else 16
				draw_line(cell.position + Vector2(joint, 0), cell.position + Vector2(joint, CELL / 2.0), colours[1], 1.0)
			else:
				draw_rect(cell, colours[(x + y) % 2])
	var area := DemoTownPlan.to_pixels(rect)
	draw_rect(Rect2(area.position, Vector2(area.size.x, 4)), DemoPalette.SHADOW)
	draw_rect(Rect2(area.position, Vector2(3, area.size.y)), DemoPalette.SHADOW)


func _draw_trees(rng: RandomNumberGenerator) -> void:
	var taken: Array[Vector2] = []
	for i: int in 400:
		var cell := Vector2i(rng.randi_range(0, plan.size.x - 1), rng.randi_range(0, plan.size.y - 1))
		var at := DemoTownPlan.middle(cell) + Vector2(rng.randf_range(-5, 5), rng.randf_range(-5, 5))
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
	for place: Dictionary in plan.places:
		if (
			str(place["address"]).contains(":")
			and not str(place["address"]).contains(":lane")
			and (place["rect"] as Rect2i).intersects(around)
		):
			return true
	return not Rect2i(Vector2i.ZERO, plan.size).encloses(around)


func _has_door_above(rect: Rect2i) -> bool:
	for x: int in range(rect.position.x, rect.end.x):
		if plan.doors.has(Vector2i(x, rect.position.y)):
			return true
	return false


func _draw_names() -> void:
	var font := ThemeDB.fallback_font
	for place: Dictionary in plan.places:
		var area := DemoTownPlan.to_pixels(place["rect"] as Rect2i)
		var text := str(place["name"])
		if not place["is_room"] and str(place["address"]).contains(":") and not str(place["address"]).ends_with(":lane"):
			text = text.trim_prefix("the ")
			text = text[0].to_upper() + text.substr(1)
			var wide := font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, 14).x
			var at := Vector2(area.get_center().x - wide / 2.0, area.position.y + 16.0)
			if _has_door_above(place["rect"] as Rect2i):
				at.y = area.end.y - 8.0
			if place["open"]:
				at.y = area.position.y + 18.0
				draw_rect(Rect2(at.x - 7, at.y - 15, wide + 14, 20), Color(DemoPalette.WALL, 0.75))
			draw_string(font, at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, 14, DemoPalette.PAPER)
		elif place["is_room"] and not place["open"]:
			var wide := font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, 11).x
			var row := plan.name_row(place["rect"] as Rect2i)
			var at := Vector2(area.get_center().x - wide / 2.0, (row + 0.5) * CELL + 4.0)
			draw_string(font, at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, 11, Color(DemoPalette.INK, 0.5))
