class_name DemoTerrain
## Draws the ground of a town: grass, lawns, fields, paths and water.

const CELL := DemoTownPlan.CELL
## The ids of places without grass.
const PAVED: Array[String] = ["market", "square", "lime_tree"]
const PLOUGHED: Array[String] = ["field", "allotments"]
const PETALS: Array[Color] = [Color("f6efe0"), Color("f2c14e"), Color("e58fa0"), Color("b9a0dc")]


## Draws everything that lies flat.
static func draw(brush: DemoBrush, plan: DemoTownPlan, rng: RandomNumberGenerator) -> void:
	var whole := DemoTownPlan.to_pixels(Rect2i(Vector2i.ZERO, plan.size))
	brush.rect(whole.grow(5.0), DemoPalette.WALL)
	brush.rect(whole, DemoPalette.GRASS)
	_draw_patches(brush, plan, rng)
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.open and place.is_room and not place.is_lane() and not is_bare(place):
			_draw_lawn(brush, place)
	_draw_tufts(brush, plan, rng)
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.open and place.is_room and is_bare(place):
			_draw_bare(brush, place, rng)
	_draw_river(brush, plan, rng)
	_draw_paths(brush, plan, rng)


## Large soft spots keep the grass from looking like a sheet of paper.
static func _draw_patches(brush: DemoBrush, plan: DemoTownPlan, rng: RandomNumberGenerator) -> void:
	for i: int in plan.size.x * plan.size.y / 14:
		var at := Vector2(rng.randf(), rng.randf()) * Vector2(plan.size * CELL)
		var colour := DemoPalette.GRASS_DARK if rng.randf() < 0.55 else DemoPalette.GRASS_LIGHT
		var radius := minf(rng.randf_range(24.0, 70.0), minf(at.y + 6.0, plan.size.y * CELL - at.y + 6.0))
		radius = minf(radius, minf(at.x + 6.0, plan.size.x * CELL - at.x + 6.0))
		brush.glow(at, radius, Color(colour, 0.5), 0.7)


static func _draw_tufts(brush: DemoBrush, plan: DemoTownPlan, rng: RandomNumberGenerator) -> void:
	for i: int in plan.size.x * plan.size.y / 3:
		var at := Vector2(rng.randf(), rng.randf()) * (Vector2(plan.size * CELL) - Vector2(12, 12)) + Vector2(6, 6)
		var colour := (DemoPalette.GRASS_DARK if rng.randf() < 0.6 else DemoPalette.GRASS_LIGHT).darkened(0.06)
		for blade: float in [-2.2, 0.0, 2.2] as Array[float]:
			brush.line(at, at + Vector2(blade, -rng.randf_range(3.0, 5.5)), 1.1, colour)
		if rng.randf() < 0.14:
			var petal: Color = PETALS[rng.randi() % PETALS.size()]
			for j: int in 3:
				brush.disc(at + Vector2(rng.randf_range(-7, 7), rng.randf_range(-4, 4)), 1.3, petal)


## Returns [code]true[/code] for paved squares and ploughed fields, where no grass grows.
static func is_bare(place: DemoTownPlan.TownPlace) -> bool:
	return _get_part(place) in PAVED or _get_part(place) in PLOUGHED


static func _get_part(place: DemoTownPlan.TownPlace) -> String:
	return place.address.get_slice(":", place.address.count(":"))


static func _draw_lawn(brush: DemoBrush, place: DemoTownPlan.TownPlace) -> void:
	var area := DemoTownPlan.to_pixels(place.rect)
	for i: int in place.rect.size.x:
		var stripe := Rect2(area.position + Vector2(i * CELL, 0), Vector2(CELL, area.size.y))
		brush.rect(stripe, Color(DemoPalette.LAWN if i % 2 == 0 else DemoPalette.GRASS_LIGHT, 0.75))


static func _draw_bare(brush: DemoBrush, place: DemoTownPlan.TownPlace, rng: RandomNumberGenerator) -> void:
	var area := DemoTownPlan.to_pixels(place.rect)
	if _get_part(place) in PAVED:
		brush.rect(area, DemoPalette.PATH)
		_draw_stones(brush, area, rng)
		return
	brush.rect(area, DemoPalette.EARTH)
	var rows := int(area.size.y / 8.0)
	for i: int in rows:
		brush.rect(Rect2(area.position + Vector2(0, i * 8.0 + 2.0), Vector2(area.size.x, 3.0)), DemoPalette.EARTH.darkened(0.12))
	for i: int in place.rect.get_area() * 2:
		var at := area.position + Vector2(rng.randf() * area.size.x, rng.randi_range(0, rows - 1) * 8.0 + 2.0)
		brush.disc(at, 2.0, DemoPalette.LEAF_LIGHT, 0.7)


static func _draw_paths(brush: DemoBrush, plan: DemoTownPlan, rng: RandomNumberGenerator) -> void:
	var whole := DemoTownPlan.to_pixels(Rect2i(Vector2i.ZERO, plan.size))
	for path: Rect2i in plan.paths:
		_draw_rough(brush, DemoTownPlan.to_pixels(path).grow(1.5), whole, rng)
	for path: Rect2i in plan.paths:
		brush.rect(DemoTownPlan.to_pixels(path), DemoPalette.PATH)
	for path: Rect2i in plan.paths:
		_draw_stones(brush, DemoTownPlan.to_pixels(path), rng)


## An edge of many small discs, so that no path is cut with a ruler. It stays inside [param whole].
static func _draw_rough(brush: DemoBrush, area: Rect2, whole: Rect2, rng: RandomNumberGenerator) -> void:
	brush.rect(area.intersection(whole), DemoPalette.PATH_EDGE)
	var around := 2.0 * (area.size.x + area.size.y)
	for i: int in int(around / 9.0):
		var along := rng.randf() * around
		var at := area.position
		if along < area.size.x * 2.0:
			at += Vector2(fmod(along, area.size.x), area.size.y if along >= area.size.x else 0.0)
		else:
			along -= area.size.x * 2.0
			at += Vector2(area.size.x if along >= area.size.y else 0.0, fmod(along, area.size.y))
		var radius := rng.randf_range(2.0, 4.2)
		if whole.grow(-radius).has_point(at):
			brush.disc(at, radius, DemoPalette.PATH_EDGE, 0.8)


static func _draw_stones(brush: DemoBrush, area: Rect2, rng: RandomNumberGenerator) -> void:
	for i: int in int(area.get_area() / 210.0):
		var at := area.position + Vector2(rng.randf(), rng.randf()) * (area.size - Vector2(8, 6)) + Vector2(4, 3)
		var colour := DemoPalette.PATH_EDGE if rng.randf() < 0.65 else DemoPalette.PATH.lightened(0.2)
		brush.disc(at, rng.randf_range(1.2, 3.6), Color(colour, 0.55), 0.7)


static func _draw_river(brush: DemoBrush, plan: DemoTownPlan, rng: RandomNumberGenerator) -> void:
	var cells := plan.get_river()
	if cells.size == Vector2i.ZERO:
		return
	var area := DemoTownPlan.to_pixels(cells)
	brush.rect(Rect2(area.position - Vector2(0, 5), Vector2(area.size.x, 12)), DemoPalette.SAND)
	for i: int in cells.size.x * 2:
		brush.disc(
			area.position + Vector2(rng.randf() * area.size.x, rng.randf_range(-6, 2)), rng.randf_range(2.0, 5.0), DemoPalette.SAND, 0.6
		)
	brush.rect(Rect2(area.position + Vector2(0, 3), area.size - Vector2(0, 3)), DemoPalette.WATER, DemoPalette.WATER.darkened(0.22))
	brush.rect(Rect2(area.position + Vector2(0, 3), Vector2(area.size.x, 2.0)), Color(1, 1, 1, 0.35))
	for i: int in cells.size.x / 2:
		var at := area.position + Vector2(rng.randf() * area.size.x, rng.randf_range(-3, 4))
		for reed: int in 4:
			var foot := at + Vector2(reed * 2.5, rng.randf_range(-1, 1))
			brush.line(foot, foot + Vector2(rng.randf_range(-1, 1), -rng.randf_range(7, 13)), 1.3, DemoPalette.LEAF)
