class_name DemoTownPlan
extends RefCounted
## The town file as the scene needs it: which cell is floor, wall, door or path, and where one stands to use a thing.

## Pixels of a cell.
const CELL := 23

var id: String = ""
var name: String = ""
var size := Vector2i.ZERO
## Metres of a cell.
var cell_m: float = 1.0
## Each: address, name, rect (cells), open, capacity, hours, owners, rooms' parent or "".
var places: Array[Dictionary] = []
## Each: address, name, kind, cell, states, state, capacity, actions, incidents, stand (cell).
var objects: Array[Dictionary] = []
## Each: id, name, home (address).
var people: Array[Dictionary] = []
var paths: Array[Rect2i] = []
## Cells that are wall, as keys.
var walls: Dictionary = {}
## Cells that are doors, as keys.
var doors: Dictionary = {}
## Cells with a thing in them, as keys.
var things: Dictionary = {}


static func load_file(path: String) -> DemoTownPlan:
	var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	if not parsed is Dictionary:
		push_error("The town %s is not JSON. Run scripts/copy_town.py." % path)
		return null
	var plan := DemoTownPlan.new()
	plan._read(parsed as Dictionary)
	return plan


## A cell's rectangle in pixels.
static func to_pixels(cells: Rect2i) -> Rect2:
	return Rect2(Vector2(cells.position * CELL), Vector2(cells.size * CELL))


## The middle of a cell in pixels.
static func middle(cell: Vector2i) -> Vector2:
	return (Vector2(cell) + Vector2(0.5, 0.5)) * CELL


func is_free(cell: Vector2i) -> bool:
	return Rect2i(Vector2i.ZERO, size).has_point(cell) and not walls.has(cell) and not things.has(cell)


func _read(file: Dictionary) -> void:
	id = file["id"]
	name = file["name"]
	cell_m = file["cell_m"]
	size = _vector(file["size"])
	for rect: Array in file.get("paths", []) as Array:
		paths.append(_rect(rect))
	for person: Dictionary in file["people"] as Array:
		people.append({"id": person["id"], "name": person["name"], "home": "%s:%s" % [id, person["home"]]})
	places.append(_place(id, "", name, Rect2i(Vector2i.ZERO, size), {"open": true}))
	for place: Dictionary in file["places"] as Array:
		_read_place(place, file["kinds"] as Dictionary)
	for object: Dictionary in objects:
		if object["kind"] == "bed":
			# A bed is two cells long, towards the side where its room goes on.
			var foot: Vector2i = object["cell"] + (Vector2i.DOWN if is_free(object["cell"] + Vector2i.DOWN) else Vector2i.UP)
			object["foot"] = foot
			things[foot] = true
	for object: Dictionary in objects:
		object["stand"] = _stand(object)


func _read_place(place: Dictionary, kinds: Dictionary) -> void:
	var address := "%s:%s" % [id, place["id"]]
	var rect := _rect(place["rect"] as Array)
	var open: bool = place.get("open", false)
	places.append(_place(address, "", _called(place), rect, place))
	if not open:
		for cell: Vector2i in _cells(rect):
			walls[cell] = true
	for door: Array in place.get("doors", []) as Array:
		walls.erase(_vector(door))
		doors[_vector(door)] = true
	for room: Dictionary in place.get("rooms", []) as Array:
		var room_address := "%s:%s" % [address, room["id"]]
		var room_rect := _rect(room["rect"] as Array)
		places.append(_place(room_address, address, _called(room), room_rect, room.merged({"open": open})))
		for cell: Vector2i in _cells(room_rect):
			walls.erase(cell)
		for object: Dictionary in room.get("objects", []) as Array:
			var kind: Dictionary = kinds[object["kind"]]
			var cell := _vector(object["at"] as Array)
			things[cell] = true
			(
				objects
				. append(
					{
						"address": "%s:%s" % [room_address, object["id"]],
						"name": object.get("name", object["kind"]),
						"kind": object["kind"],
						"cell": cell,
						"room": room_rect,
						"states": PackedStringArray(kind["states"] as Array),
						"state": object.get("state", kind["state"]),
						"capacity": int(str(object.get("capacity", kind["capacity"]))),
						"actions": kind["actions"],
						"incidents": kind["incidents"],
					}
				)
			)


func _called(file: Dictionary) -> String:
	return str(file.get("name", str(file["id"]).replace("_", " ")))


func _place(address: String, parent: String, place_name: String, rect: Rect2i, file: Dictionary) -> Dictionary:
	return {
		"address": address,
		"parent": parent,
		"name": place_name,
		"rect": rect,
		"open": bool(file.get("open", false)),
		"capacity": int(str(file.get("capacity", 0))),
		"hours": str(file.get("hours", "")),
		"owners": PackedStringArray(file.get("owners", []) as Array),
		"is_room": not parent.is_empty(),
	}


## The free cell beside a thing, in its room and nearest to the room's middle.
func _stand(object: Dictionary) -> Vector2i:
	var best: Vector2i = object["cell"]
	var room: Rect2i = object["room"]
	var least := INF
	# A bed in a corner, with a thing at its head, is got into from its foot.
	for part: Vector2i in [object["cell"], object.get("foot", object["cell"])] as Array[Vector2i]:
		for step: Vector2i in [Vector2i.DOWN, Vector2i.UP, Vector2i.LEFT, Vector2i.RIGHT] as Array[Vector2i]:
			var beside := part + step
			var far := Vector2(room.get_center()).distance_to(Vector2(beside))
			if room.has_point(beside) and is_free(beside) and far < least:
				best = beside
				least = far
		if least < INF:
			break
	return best


## Whether a house's door is in its upper wall.
func has_door_above(rect: Rect2i) -> bool:
	for x: int in range(rect.position.x, rect.end.x):
		if doors.has(Vector2i(x, rect.position.y)):
			return true
	return false


## The row of a room with the fewest things in it, nearest to its middle: there its name stands.
func name_row(rect: Rect2i) -> int:
	var best := rect.get_center().y
	var least := INF
	for y: int in range(rect.position.y, rect.end.y):
		var cost := absf(y - rect.get_center().y + 0.5) * 0.3
		for x: int in range(rect.position.x, rect.end.x):
			cost += 1.0 if things.has(Vector2i(x, y)) else 0.0
		if cost < least:
			best = y
			least = cost
	return best


## Free cells of a place that are not right beside a thing or a door, in pixels: where people stand who just come here.
func spots(rect: Rect2i) -> PackedVector2Array:
	var found := PackedVector2Array()
	for cell: Vector2i in _cells(rect):
		var crowded := not is_free(cell)
		for step: Vector2i in [Vector2i.DOWN, Vector2i.UP, Vector2i.LEFT, Vector2i.RIGHT] as Array[Vector2i]:
			crowded = crowded or doors.has(cell + step) or things.has(cell + step)
		if not crowded:
			found.append(middle(cell) - Vector2(rect.position * CELL))
	if found.is_empty():
		for cell: Vector2i in _cells(rect):
			if is_free(cell):
				found.append(middle(cell) - Vector2(rect.position * CELL))
	return found


static func _cells(rect: Rect2i) -> Array[Vector2i]:
	var found: Array[Vector2i] = []
	for y: int in range(rect.position.y, rect.end.y):
		for x: int in range(rect.position.x, rect.end.x):
			found.append(Vector2i(x, y))
	return found


static func _vector(pair: Array) -> Vector2i:
	return Vector2i(int(str(pair[0])), int(str(pair[1])))


static func _rect(four: Array) -> Rect2i:
	return Rect2i(int(str(four[0])), int(str(four[1])), int(str(four[2])), int(str(four[3])))
