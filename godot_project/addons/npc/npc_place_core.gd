class_name NpcPlaceCore
extends RefCounted
## What [NpcPlace] and [NpcPlace3D] have in common: the world tree, who is in a place, and its opening hours.

static var _by_address := NpcIndex.new()
## Each place under its own address and the addresses of all places around it.
static var _by_part := NpcIndex.new()
static var _grid_2d := NpcGrid.new(256.0)
static var _grid_3d := NpcGrid.new(8.0)
## Rises with every change of any place's position, so that a caller can tell whether its results still hold.
static var _changes: int = 0

## The [NpcPlace] or [NpcPlace3D].
var node: Node
## If [code]true[/code], the place is 3D.
var is_3d: bool
## See [member NpcPlace.address].
var address: String = "":
	set(value):
		if _is_listed:
			leave()
			address = value
			enter()
		address = value
## See [member NpcPlace.display_name].
var display_name: String = ""
## See [member NpcPlace.open].
var open: bool = false
## See [member NpcPlace.capacity].
var capacity: int = 0
## See [member NpcPlace.hours].
var hours: String = "":
	set(value):
		hours = value
		_opens_s = _seconds(hours.get_slice("-", 0))
		_closes_s = _seconds(hours.get_slice("-", 1))
## See [member NpcPlace.owners].
var owners: PackedStringArray = []

var _is_listed: bool = false
var _depth: int = 0
## Turns a point into one that is relative to the place.
var _from_world := Transform3D.IDENTITY
var _ground := Rect2()
var _low: float = -INF
var _high: float = INF
var _bounds := Rect2()
var _opens_s: int = 0
var _closes_s: int = 0


func _init(of: Node, in_3d: bool) -> void:
	node = of
	is_3d = in_3d


## Adds the place to those that are found. Called when its node enters the tree.
func enter() -> void:
	_is_listed = true
	_depth = address.count(":")
	_by_address.add(address, self)
	for prefix: String in _prefixes(address):
		_by_part.add(prefix, self)
	_file()
	NpcSceneCheck.note(address)


## Removes the place from those that are found. Called when its node leaves the tree.
func leave() -> void:
	_is_listed = false
	_changes += 1
	_by_address.remove(address, self)
	for prefix: String in _prefixes(address):
		_by_part.remove(prefix, self)
	_get_grid(is_3d).erase(self)


## Says where the place is: [param ground] is seen from above and relative to [param world], as are the heights between
## which it extends.
func cover(world: Transform3D, ground: Rect2, low: float, high: float) -> void:
	_from_world = world.affine_inverse()
	_ground = ground
	_low = low
	_high = high
	var seen := world * AABB(Vector3(ground.position.x, 0.0, ground.position.y), Vector3(ground.size.x, 0.0, ground.size.y))
	_bounds = Rect2(seen.position.x, seen.position.z, seen.size.x, seen.size.z)
	_file()


## Returns [code]true[/code] if a point is in the place.
func has_point(point: Vector3) -> bool:
	var here := _from_world * point
	return here.y >= _low and here.y < _high and _ground.has_point(Vector2(here.x, here.z))


## Returns [code]true[/code] if an agent's body is in the place.
func has_agent(agent: NpcAgent) -> bool:
	return agent.is_3d() == is_3d and has_point(agent.get_point())


## See [method NpcPlace.get_name_or_address].
func get_name_or_address() -> String:
	return display_name if not display_name.is_empty() else address


## Calls [method NpcPlace.is_open_at]: the game's own, if its script overrides it.
func is_open_at(at_s: float) -> bool:
	return node.call(&"is_open_at", at_s)


## What [method NpcPlace.is_open_at] returns unless a game overrides it.
func usual_is_open_at(at_s: float) -> bool:
	if hours.is_empty():
		return true
	var second := fposmod(at_s, 86400.0)
	if _opens_s <= _closes_s:
		return second >= _opens_s and second < _closes_s
	return second >= _opens_s or second < _closes_s


## Returns the point of [method NpcPlace.get_spot].
func get_spot(salt: int) -> Vector3:
	var place := node as NpcPlace3D
	return place.get_spot(salt) if place != null else NpcSpace.to_point((node as NpcPlace).get_spot(salt))


## See [method NpcPlace.count_people].
func count_people() -> int:
	return NpcAgents.count_in(self)


## Returns the innermost place at a point of 2D or 3D, or [code]null[/code].
static func at(point: Vector3, in_3d: bool) -> NpcPlaceCore:
	var best: NpcPlaceCore = null
	var seen := Vector2(point.x, point.z)
	for place: NpcPlaceCore in (_grid_3d if in_3d else _grid_2d).at(point):
		if not place._bounds.has_point(seen) or (best != null and place._depth <= best._depth):
			continue
		if not in_3d or place.has_point(point):  # 2D places do not turn
			best = place
	return best


## Returns the place with an address, or [code]null[/code]. With [param in_3d] only one of 2D or 3D.
static func by_address(wanted: String, in_3d: Variant = null) -> NpcPlaceCore:
	for place: NpcPlaceCore in _by_address.list(wanted):
		if in_3d == null or place.is_3d == in_3d:
			return place
	return null


## Returns the address of what is around an address: of the room for an object. It is empty for a town.
static func get_parent_address(of: String) -> String:
	return of.left(maxi(of.rfind(":"), 0))


## Returns the places that contain an address, itself included, the outermost first.
static func around(wanted: String) -> Array[NpcPlaceCore]:
	var found: Array[NpcPlaceCore] = []
	for prefix: String in _prefixes(wanted):
		found.append_array(_by_address.list(prefix))
	return found


## Returns a place and all places in it.
static func parts_of(wanted: String) -> Array[NpcPlaceCore]:
	var found: Array[NpcPlaceCore] = []
	found.append_array(_by_part.list(wanted))
	return found


## Returns the town in each address of a place. There is only one, unless an address has a typing error.
static func get_towns() -> PackedStringArray:
	var found := PackedStringArray()
	for key: String in _by_part.keys():
		if not key.is_empty() and not key.contains(":"):
			found.append(key)
	return found


## Returns the addresses of all places.
static func get_addresses() -> Array[String]:
	return _by_address.keys()


## Returns a number that changes whenever a place is added, removed or moved.
static func get_changes() -> int:
	return _changes


func _file() -> void:
	if _is_listed:
		_changes += 1
		_get_grid(is_3d).put(self, _bounds)


static func _get_grid(in_3d: bool) -> NpcGrid:
	return _grid_3d if in_3d else _grid_2d


## Returns "town", "town:cafe" and "town:cafe:kitchen" for the last of these.
static func _prefixes(of: String) -> PackedStringArray:
	var found := PackedStringArray()
	var end := of.find(":")
	while end >= 0:
		found.append(of.left(end))
		end = of.find(":", end + 1)
	found.append(of)
	return found


static func _seconds(hour_and_minute: String) -> int:
	return int(hour_and_minute.get_slice(":", 0)) * 3600 + int(hour_and_minute.get_slice(":", 1)) * 60
