@tool
@icon("res://addons/npc/icons/place.svg")
class_name NpcPlace
extends Node2D
## A place of the world's tree: a building, a room, a lawn. Its rectangle starts at the node's position.

## Group of all places.
const GROUP := &"npc_places"

static var _by_address := NpcIndex.new()
## Every place under its own address and those of all places around it.
static var _by_part := NpcIndex.new()
static var _grid := NpcGrid.new(func(place: NpcPlace) -> Rect2: return place._file())
## Counts changes of where places are, for who keeps what it found.
static var _changes: int = 0

## Ids from the root, joined with ":", e.g. "millbrook:cafe:kitchen".
@export var address: String = "":
	set(value):
		if _is_listed:
			_unlist()
			address = value
			_list()
		address = value
		update_configuration_warnings()
## For people: "the Kettle Café".
@export var display_name: String = ""
## Size in pixels.
@export var size := Vector2(64, 64):
	set(value):
		size = value
		_on_moved()
## True when it has no walls: who stands in it sees what is in other open places, and is seen.
@export var open: bool = false
## People who fit at once; 0 for no limit.
@export var capacity: int = 0
## When it is open, e.g. "08:00-17:00"; "20:00-02:00" goes past midnight; always while it is empty. Owners come and go.
@export var hours: String = "":
	set(value):
		hours = value
		_opens_s = _seconds(hours.get_slice("-", 0))
		_closes_s = _seconds(hours.get_slice("-", 1))
## Ids of the only characters who may enter; everybody while it is empty.
@export var owners: PackedStringArray = []
## Where people go who come here; the middle when it is empty. Relative to the node.
@export var spots := PackedVector2Array()

var _is_listed: bool = false
var _depth: int = 0
var _bounds := Rect2()
var _opens_s: int = 0
var _closes_s: int = 0


func _ready() -> void:
	add_to_group(GROUP)


# Not _enter_tree() and _exit_tree(): a game's own class may have those, and every class of a node gets its notifications.
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


## In global coordinates.
func get_rect() -> Rect2:
	return Rect2(global_position, size)


## For people; the address while it has no name.
func get_called() -> String:
	return display_name if not display_name.is_empty() else address


## True when it is open at a game time.
func is_open_at(at_s: float) -> bool:
	if hours.is_empty():
		return true
	var second := fposmod(at_s, 86400.0)
	if _opens_s <= _closes_s:
		return second >= _opens_s and second < _closes_s
	return second >= _opens_s or second < _closes_s


## True when this place lies in that one.
func is_in(other: String) -> bool:
	return address == other or address.begins_with(other + ":")


## A global position to go to; another one for each [param salt], so that people do not stand inside each other.
func get_spot(salt: int = 0) -> Vector2:
	return global_position + (size / 2.0 if spots.is_empty() else spots[absi(salt) % spots.size()])


## Agents whose bodies are in it now.
func count_people() -> int:
	return NpcPeople.count_in(get_rect())


## The innermost place at a point, or null.
static func at(_tree: SceneTree, point: Vector2) -> NpcPlace:
	var best: NpcPlace = null
	for place: NpcPlace in _grid.at(point):
		if place._bounds.has_point(point) and (best == null or place._depth > best._depth):
			best = place
	return best


## The place with this address, or null.
static func by_address(_tree: SceneTree, wanted: String) -> NpcPlace:
	return _by_address.first(wanted) as NpcPlace


## The places that an address lies in, its own place among them; the outermost first.
static func around(_tree: SceneTree, wanted: String) -> Array[NpcPlace]:
	var found: Array[NpcPlace] = []
	for prefix: String in _prefixes(wanted):
		found.append_array(_by_address.list(prefix))
	return found


## A place and all places in it.
static func parts_of(_tree: SceneTree, wanted: String) -> Array[NpcPlace]:
	var found: Array[NpcPlace] = []
	found.append_array(_by_part.list(wanted))
	return found


## The first ids of all places' addresses: one, where nothing is mistyped.
static func get_towns() -> PackedStringArray:
	var found := PackedStringArray()
	for key: String in _by_part.keys():
		if not key.is_empty() and not key.contains(":"):
			found.append(key)
	return found


## A number that is another one whenever a place came, went or moved.
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


## "town", "town:cafe", "town:cafe:kitchen".
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
