class_name DemoScenery
extends RefCounted
## What stands about in a town without a meaning for its people: trees, lamps, windows, chimneys and a river. It follows
## from the town file, so the same town always looks the same.

const CELL := DemoTownPlan.CELL
## How far street lamps stand apart, in cells.
const LAMPS_APART := 7
const TREES_APART := 31.0
const BUSHES_APART := 15.0
## The width of a window in pixels.
const WINDOW := Vector2(15, 11)

var plan: DemoTownPlan
## Positions and sizes of trees, from the top of the map to the bottom.
var trees: Array[Vector3] = []
## Positions and sizes of bushes.
var bushes: Array[Vector3] = []
## Where street lamps stand.
var lamps := PackedVector2Array()
## Where smoke rises, and the house below.
var chimneys: Array[Chimney] = []
## The windows in the walls that look south.
var windows: Array[Pane] = []


## A chimney of a house.
class Chimney:
	extends RefCounted
	var at: Vector2
	var house: String

	func _init(place: Vector2, address: String) -> void:
		at = place
		house = address


## A window in a wall.
class Pane:
	extends RefCounted
	var area: Rect2
	## The address of the room behind it.
	var room: String

	func _init(place: Rect2, address: String) -> void:
		area = place
		room = address


func _init(of: DemoTownPlan) -> void:
	plan = of
	var rng := RandomNumberGenerator.new()
	rng.seed = 4
	for place: DemoTownPlan.TownPlace in plan.places:
		if not place.open and not place.is_room:
			_add_windows(place)
			_add_chimney(place)
	_add_lamps()
	_add_plants(rng, 700, TREES_APART, trees)
	_add_plants(rng, 900, BUSHES_APART, bushes)


## Returns [code]true[/code] if a cell is in the wall around a house, not between its rooms.
func is_outer(cell: Vector2i) -> bool:
	for place: DemoTownPlan.TownPlace in plan.places:
		if not place.open and not place.is_room and place.rect.has_point(cell):
			return not place.rect.grow(-1).has_point(cell)
	return false


func _add_windows(house: DemoTownPlan.TownPlace) -> void:
	var y := house.rect.end.y - 1
	for x: int in range(house.rect.position.x + 1, house.rect.end.x - 1):
		var cell := Vector2i(x, y)
		var is_near_door := plan.doors.has(cell) or plan.doors.has(cell + Vector2i.LEFT) or plan.doors.has(cell + Vector2i.RIGHT)
		if x % 3 != house.rect.position.x % 3 or is_near_door:
			continue
		var room := _get_room(cell + Vector2i.UP)
		if not room.is_empty():
			var middle := DemoTownPlan.get_middle(cell)
			windows.append(Pane.new(Rect2(middle + Vector2(-WINDOW.x / 2.0, 1.0), WINDOW), room))


func _add_chimney(house: DemoTownPlan.TownPlace) -> void:
	for object: DemoTownPlan.TownObject in plan.objects:
		if object.kind in ["stove", "oven", "fireplace", "forge"] and house.rect.has_point(object.cell):
			var x := DemoTownPlan.get_middle(object.cell).x
			chimneys.append(Chimney.new(Vector2(x, house.rect.position.y * CELL + 7.0), house.address))
			return


## Lamps stand beside the long paths, where no other path and no door is.
func _add_lamps() -> void:
	for path: Rect2i in plan.paths:
		var is_wide := path.size.x > path.size.y
		var length := maxi(path.size.x, path.size.y)
		if length < LAMPS_APART:
			continue
		var side := -1
		for step: int in range(3, length - 1, LAMPS_APART):
			var along := path.position + (Vector2i(step, 0) if is_wide else Vector2i(0, step))
			var across := Vector2i(0, side if side < 0 else path.size.y) if is_wide else Vector2i(side if side < 0 else path.size.x, 0)
			side = -side
			if _is_grass(along + across):
				var edge := Vector2(0, -across.y if across.y < 0 else -1.0) if is_wide else Vector2(-across.x if across.x < 0 else -1.0, 0)
				lamps.append(DemoTownPlan.get_middle(along + across) + edge * 6.0)


func _add_plants(rng: RandomNumberGenerator, tries: int, apart: float, into: Array[Vector3]) -> void:
	for i: int in tries * plan.size.x * plan.size.y / 4000:
		var cell := Vector2i(rng.randi_range(0, plan.size.x - 1), rng.randi_range(0, plan.size.y - 1))
		var at := DemoTownPlan.get_middle(cell) + Vector2(rng.randf_range(-8, 8), rng.randf_range(-8, 8))
		var is_tree := into == trees
		if not _has_room(cell, 1 if is_tree else 0) or _is_near(at, lamps, 16.0):
			continue
		if _is_near_plant(at, trees, apart if is_tree else 22.0) or _is_near_plant(at, bushes, apart):
			continue
		into.append(Vector3(at.x, at.y, rng.randf()))
	into.sort_custom(func(one: Vector3, other: Vector3) -> bool: return one.y < other.y)


func _has_room(cell: Vector2i, margin: int) -> bool:
	var around := Rect2i(cell, Vector2i.ONE).grow(margin)
	if plan.get_river().intersects(around):
		return false
	for path: Rect2i in plan.paths:
		if path.intersects(around):
			return false
	for place: DemoTownPlan.TownPlace in plan.places:
		# Below a house its front stands out.
		var front := Rect2i(place.rect.position, place.rect.size + Vector2i(0, 1))
		if not place.is_town() and not place.is_lane() and front.intersects(around) and not _is_edge_of_green(place, cell):
			return false
	return Rect2i(Vector2i.ZERO, plan.size).encloses(around)


## Trees may stand at the edge of a green, where nothing else is.
func _is_edge_of_green(place: DemoTownPlan.TownPlace, cell: Vector2i) -> bool:
	var is_narrow := mini(place.rect.size.x, place.rect.size.y) < 5
	if not place.open or (place.is_room and (is_narrow or place.rect.grow(-2).has_point(cell))):
		return false
	if DemoTerrain.is_bare(place) or not plan.is_free(cell):
		return false
	for object: DemoTownPlan.TownObject in plan.objects:
		if Rect2i(object.cell, Vector2i.ONE).grow(3 if object.kind == "pond" else 2).has_point(cell):
			return false
	return true


func _is_grass(cell: Vector2i) -> bool:
	for path: Rect2i in plan.paths:
		if path.has_point(cell):
			return false
	for step: Vector2i in DemoTownPlan.NEIGHBORS:
		if plan.doors.has(cell + step):
			return false
	return plan.is_free(cell) and not plan.doors.has(cell)


func _get_room(cell: Vector2i) -> String:
	for place: DemoTownPlan.TownPlace in plan.places:
		if place.is_room and place.rect.has_point(cell):
			return place.address
	return ""


static func _is_near(at: Vector2, points: PackedVector2Array, apart: float) -> bool:
	for point: Vector2 in points:
		if point.distance_to(at) < apart:
			return true
	return false


static func _is_near_plant(at: Vector2, plants: Array[Vector3], apart: float) -> bool:
	for plant: Vector3 in plants:
		if Vector2(plant.x, plant.y).distance_to(at) < apart:
			return true
	return false
