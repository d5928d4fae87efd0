class_name DemoTownPlan
extends RefCounted
## The map of a town: what is in each cell, and where people stand to use an object.

## Pixels per cell.
const CELL := 23
## Rows of water at the lower edge of a town, by its id. Nobody walks there.
const RIVERS: Dictionary[String, int] = {"millbrook": 2, "alderwick": 2}
const NEIGHBORS: Array[Vector2i] = [Vector2i.DOWN, Vector2i.UP, Vector2i.LEFT, Vector2i.RIGHT]

var id: String = ""
var name: String = ""
var size := Vector2i.ZERO
## Metres per cell.
var cell_m: float = 1.0
var places: Array[TownPlace] = []
var objects: Array[TownObject] = []
var people: Array[TownPerson] = []
var paths: Array[Rect2i] = []
## Cells with a wall, as keys.
var walls: Dictionary[Vector2i, bool] = {}
## Cells with a door, as keys.
var doors: Dictionary[Vector2i, bool] = {}
## Cells with an object, as keys.
var taken: Dictionary[Vector2i, bool] = {}


class TownPlace:
	extends RefCounted
	var address: String
	var name: String
	## In cells.
	var rect: Rect2i
	var open: bool
	var is_room: bool

	func _init(place_address: String, place_name: String, place_rect: Rect2i, file: Dictionary) -> void:
		address = place_address
		name = place_name
		rect = place_rect
		open = file.get("open", false)

	## Returns [code]true[/code] for lanes, which have neither a lawn nor a name.
	func is_lane() -> bool:
		return address.contains(":lane:") or address.ends_with(":lane")

	## Returns [code]true[/code] for the whole town.
	func is_town() -> bool:
		return not address.contains(":")


class TownObject:
	extends RefCounted
	var address: String
	var name: String
	var kind: String
	var cell: Vector2i
	## The second cell of a bed; otherwise the same as [member cell].
	var foot: Vector2i
	## The cell where somebody stands to use the object.
	var stand: Vector2i
	## The cells of the room around it.
	var room: Rect2i
	var state: String
	var incidents: Array

	func _init(room_address: String, room_rect: Rect2i, file: Dictionary, kind_file: Dictionary) -> void:
		address = "%s:%s" % [room_address, file["id"]]
		kind = file["kind"]
		name = file.get("name", kind)
		cell = DemoTownPlan.read_cell(file["at"] as Array)
		foot = cell
		stand = cell
		room = room_rect
		state = file.get("state", kind_file.get("state", ""))
		incidents = kind_file.get("incidents", [])


class TownPerson:
	extends RefCounted
	var id: String
	var name: String
	## The address of the object where the person begins.
	var home: String
	## What the person may do for a player: each has "name", "description" and "parameters".
	var offers: Array


## Reads a town file. With [param scene], the places and objects are the nodes under it.
static func load_file(path: String, scene: Node2D = null) -> DemoTownPlan:
	var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	if not parsed is Dictionary:
		push_error("The town %s is not JSON. Run scripts/copy_town.py." % path)
		return null
	var file := parsed as Dictionary
	if scene != null:
		DemoTownNodes.put(scene, file)
	var plan := DemoTownPlan.new()
	plan._read(file)
	return plan


## Returns the rectangle of some cells in pixels.
static func to_pixels(cells: Rect2i) -> Rect2:
	return Rect2(Vector2(cells.position * CELL), Vector2(cells.size * CELL))


## Returns the middle of a cell in pixels.
static func get_middle(cell: Vector2i) -> Vector2:
	return (Vector2(cell) + Vector2(0.5, 0.5)) * CELL


## Returns two numbers of the file as a cell.
static func read_cell(pair: Array) -> Vector2i:
	return Vector2i(pair[0] as int, pair[1] as int)


func is_free(cell: Vector2i) -> bool:
	return Rect2i(Vector2i.ZERO, size).has_point(cell) and not walls.has(cell) and not taken.has(cell) and not get_river().has_point(cell)


## Returns the cells of the river; an empty rectangle if there is none.
func get_river() -> Rect2i:
	var rows: int = RIVERS.get(id, 0)
	return Rect2i(0, size.y - rows, size.x if rows > 0 else 0, rows)


## Returns [code]true[/code] if a house has a door in its upper wall.
func has_door_above(rect: Rect2i) -> bool:
	for x: int in range(rect.position.x, rect.end.x):
		if doors.has(Vector2i(x, rect.position.y)):
			return true
	return false


## Returns the row for a room's name: the one with the fewest objects, near the middle.
func get_name_row(rect: Rect2i) -> int:
	var best := rect.get_center().y
	var least := INF
	for y: int in range(rect.position.y, rect.end.y):
		var cost := absf(y - rect.get_center().y + 0.5) * 0.3
		for x: int in range(rect.position.x, rect.end.x):
			cost += 1.0 if taken.has(Vector2i(x, y)) else 0.0
		if cost < least:
			best = y
			least = cost
	return best


## Returns where people stand who only come to this place, in pixels: free cells that are not beside an object or a
## door.
func get_spots(rect: Rect2i) -> PackedVector2Array:
	var found := PackedVector2Array()
	for cell: Vector2i in _get_cells(rect):
		var crowded := not is_free(cell)
		for step: Vector2i in NEIGHBORS:
			crowded = crowded or doors.has(cell + step) or taken.has(cell + step)
		if not crowded:
			found.append(get_middle(cell) - Vector2(rect.position * CELL))
	if found.is_empty():
		for cell: Vector2i in _get_cells(rect):
			if is_free(cell):
				found.append(get_middle(cell) - Vector2(rect.position * CELL))
	return found


func _read(file: Dictionary) -> void:
	id = file["id"]
	name = file["name"]
	cell_m = file["cell_m"]
	size = read_cell(file["size"] as Array)
	for rect: Array in file.get("paths", []) as Array:
		paths.append(_read_rect(rect))
	for entry: Dictionary in file["people"] as Array:
		var person := TownPerson.new()
		person.id = entry["id"]
		person.name = entry["name"]
		person.home = "%s:%s" % [id, entry["home"]]
		person.offers = entry.get("offers", [])
		people.append(person)
	places.append(TownPlace.new(id, name, Rect2i(Vector2i.ZERO, size), {"open": true}))
	for place: Dictionary in file["places"] as Array:
		_read_place(place, file["kinds"] as Dictionary)
	for object: TownObject in objects:
		if object.kind == "bed":
			# A bed is two cells long. It points to where its room goes on.
			object.foot = object.cell + (Vector2i.DOWN if is_free(object.cell + Vector2i.DOWN) else Vector2i.UP)
			taken[object.foot] = true
	for object: TownObject in objects:
		object.stand = _find_stand(object)


func _read_place(file: Dictionary, kinds: Dictionary) -> void:
	var place := TownPlace.new("%s:%s" % [id, file["id"]], _get_name(file), _read_rect(file["rect"] as Array), file)
	places.append(place)
	if not place.open:
		for cell: Vector2i in _get_cells(place.rect):
			walls[cell] = true
	for door: Array in file.get("doors", []) as Array:
		walls.erase(read_cell(door))
		doors[read_cell(door)] = true
	for room: Dictionary in file.get("rooms", []) as Array:
		_read_room(room.merged({"open": place.open}), place.address, kinds)


func _read_room(file: Dictionary, parent: String, kinds: Dictionary) -> void:
	var room := TownPlace.new("%s:%s" % [parent, file["id"]], _get_name(file), _read_rect(file["rect"] as Array), file)
	room.is_room = true
	places.append(room)
	for cell: Vector2i in _get_cells(room.rect):
		walls.erase(cell)
	for entry: Dictionary in file.get("objects", []) as Array:
		var object := TownObject.new(room.address, room.rect, entry, kinds.get(entry["kind"], {}) as Dictionary)
		taken[object.cell] = true
		objects.append(object)


## Returns the free cell beside an object that is nearest to the room's middle.
func _find_stand(object: TownObject) -> Vector2i:
	var best := object.cell
	var least := INF
	# A bed in a corner may be reachable only from its foot.
	for part: Vector2i in [object.cell, object.foot] as Array[Vector2i]:
		for step: Vector2i in NEIGHBORS:
			var beside := part + step
			var far := Vector2(object.room.get_center()).distance_to(Vector2(beside))
			if object.room.has_point(beside) and is_free(beside) and far < least:
				best = beside
				least = far
		if least < INF:
			break
	return best


static func _get_cells(rect: Rect2i) -> Array[Vector2i]:
	var found: Array[Vector2i] = []
	for y: int in range(rect.position.y, rect.end.y):
		for x: int in range(rect.position.x, rect.end.x):
			found.append(Vector2i(x, y))
	return found


static func _get_name(file: Dictionary) -> String:
	return file.get("name", (file["id"] as String).replace("_", " "))


static func _read_rect(four: Array) -> Rect2i:
	return Rect2i(four[0] as int, four[1] as int, four[2] as int, four[3] as int)
