@tool
@icon("res://addons/npc/icons/place.svg")
class_name NpcPlace
extends Node2D
## A place in the world tree, such as a building, a room or a lawn. Its rectangle begins at the node's position.

## The group of all places.
const GROUP := &"npc_places"

static var _by_address := NpcIndex.new()
## Each place under its own address and the addresses of all places around it.
static var _by_part := NpcIndex.new()
static var _grid := NpcGrid.new(func(place: NpcPlace) -> Rect2: return place._file())
## Rises with every change of any place's position, so that a caller can tell whether its results still hold.
static var _changes: int = 0

## The ids from the root of the world tree, joined with ":", such as "millbrook:cafe:kitchen".
@export var address: String = "":
	set(value):
		if _is_listed:
			_unlist()
			address = value
			_list()
		address = value
		update_configuration_warnings()
## The name shown to players, such as "the Kettle Café".
@export var display_name: String = ""
## The size in pixels.
@export var size := Vector2(64, 64):
	set(value):
		size = value
		_on_moved()
## If [code]true[/code], the place has no walls: people in it see into other open places, and are seen. For opening
## times see [member hours].
@export var open: bool = false
## How many people fit at once; 0 for no limit.
@export var capacity: int = 0
## Opening hours, such as "08:00-17:00". "20:00-02:00" lasts past midnight. If empty, the place is always open. Owners
## may enter at any time.
@export var hours: String = "":
	set(value):
		hours = value
		_opens_s = _seconds(hours.get_slice("-", 0))
		_closes_s = _seconds(hours.get_slice("-", 1))
## The ids of the only characters that may enter. If empty, everybody may.
@export var owners: PackedStringArray = []
## Where people stand who come here, relative to the node. If empty, they go to the middle.
@export var spots := PackedVector2Array()

var _is_listed: bool = false
var _depth: int = 0
var _bounds := Rect2()
var _opens_s: int = 0
var _closes_s: int = 0


func _ready() -> void:
	add_to_group(GROUP)


# Not _enter_tree() and _exit_tree(): a subclass in a game may override those, and would then have to call super().
func _notification(what: int) -> void:
	if Engine.is_editor_hint():
		if what == NOTIFICATION_ENTER_TREE:
			update_configuration_warnings()
		return
	match what:
		NOTIFICATION_ENTER_TREE:
			set_notify_transform(true)
			_list()
		NOTIFICATION_EXIT_TREE:
			_unlist()
		NOTIFICATION_TRANSFORM_CHANGED:
			_on_moved()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_place(self)


## Returns the rectangle in global coordinates.
func get_rect() -> Rect2:
	return Rect2(global_position, size)


## Returns [member display_name], or [member address] if it is empty.
func get_name_or_address() -> String:
	return display_name if not display_name.is_empty() else address


## Returns [code]true[/code] if the place is open at a game time.
func is_open_at(at_s: float) -> bool:
	if hours.is_empty():
		return true
	var second := fposmod(at_s, 86400.0)
	if _opens_s <= _closes_s:
		return second >= _opens_s and second < _closes_s
	return second >= _opens_s or second < _closes_s


## Returns a global position to go to. Another [param salt] gives another position, so that people do not stand inside
## each other.
func get_spot(salt: int = 0) -> Vector2:
	return global_position + (size / 2.0 if spots.is_empty() else spots[absi(salt) % spots.size()])


## Returns how many agents' bodies are in the place.
func count_people() -> int:
	return NpcAgents.count_in(get_rect())


## Returns the innermost place at a point, or [code]null[/code].
static func at(point: Vector2) -> NpcPlace:
	var best: NpcPlace = null
	for place: NpcPlace in _grid.at(point):
		if place._bounds.has_point(point) and (best == null or place._depth > best._depth):
			best = place
	return best


## Returns the place with an address, or [code]null[/code].
static func by_address(wanted: String) -> NpcPlace:
	return _by_address.first(wanted) as NpcPlace


## Returns the places that contain an address, itself included, the outermost first.
static func around(wanted: String) -> Array[NpcPlace]:
	var found: Array[NpcPlace] = []
	for prefix: String in _prefixes(wanted):
		found.append_array(_by_address.list(prefix))
	return found


## Returns a place and all places in it.
static func parts_of(wanted: String) -> Array[NpcPlace]:
	var found: Array[NpcPlace] = []
	found.append_array(_by_part.list(wanted))
	return found


## Returns the town in each address of a place. There is only one, unless an address has a typing error.
static func get_towns() -> PackedStringArray:
	var found := PackedStringArray()
	for key: String in _by_part.keys():
		if not key.is_empty() and not key.contains(":"):
			found.append(key)
	return found


## Returns a number that changes whenever a place is added, removed or moved.
static func get_changes() -> int:
	return _changes


func _list() -> void:
	_is_listed = true
	_depth = address.count(":")
	_by_address.add(address, self)
	for prefix: String in _prefixes(address):
		_by_part.add(prefix, self)
	_on_moved()


func _unlist() -> void:
	_is_listed = false
	_changes += 1
	_by_address.remove(address, self)
	for prefix: String in _prefixes(address):
		_by_part.remove(prefix, self)
	_grid.erase(self)


func _on_moved() -> void:
	if _is_listed:
		_changes += 1
		_grid.put(self)


func _file() -> Rect2:
	_bounds = get_rect()
	return _bounds


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
