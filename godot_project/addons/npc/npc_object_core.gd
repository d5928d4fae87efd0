class_name NpcObjectCore
extends RefCounted
## What [NpcObject] and [NpcObject3D] have in common: the states, what can be done with them, and who does it.

static var _by_address := NpcIndex.new()
static var _grid_2d := NpcGrid.new(256.0)
static var _grid_3d := NpcGrid.new(8.0)
## Rises with every change of any object, so that a caller can tell whether its results still hold.
static var _changes: int = 0

## The [NpcObject] or [NpcObject3D].
var node: Node
## If [code]true[/code], the object is 3D.
var is_3d: bool
## See [member NpcObject.address].
var address: String = "":
	set(value):
		if _is_listed:
			_by_address.remove(address, self)
			_by_address.add(value, self)
			NpcSceneCheck.note(value)
		address = value
## See [member NpcObject.display_name].
var display_name: String = ""
## See [member NpcObject.states].
var states: PackedStringArray = []
## See [member NpcObject.state].
var state: String = "":
	set(value):
		state = value
		_changes += 1
## See [member NpcObject.capacity].
var capacity: int = 0
## See [member NpcObject.actions].
var actions: Dictionary = {}
## See [member NpcObject.users].
var users: Array[NpcAgent] = []

var _is_listed: bool = false
var _point := Vector3.ZERO
var _place: NpcPlaceCore = null
var _place_known_at: int = -1


func _init(of: Node, in_3d: bool) -> void:
	node = of
	is_3d = in_3d


## Adds the object to those that are found. Called when its node enters the tree.
func enter() -> void:
	_is_listed = true
	_by_address.add(address, self)
	move()
	NpcSceneCheck.note(address)


## Removes the object from those that are found. Called when its node leaves the tree.
func leave() -> void:
	_is_listed = false
	_by_address.remove(address, self)
	_get_grid(is_3d).erase(self)
	_changes += 1


## Takes note of a new position.
func move() -> void:
	_point = NpcSpace.point_of(node)
	_get_grid(is_3d).put(self, Rect2(_point.x, _point.z, 0.0, 0.0))
	_changes += 1
	_place_known_at = -1


## Returns where the object is.
func get_point() -> Vector3:
	return _point


## Returns the point of [method NpcObject.get_spot].
func get_spot() -> Vector3:
	var object := node as NpcObject3D
	return object.get_spot() if object != null else NpcSpace.to_point((node as NpcObject).get_spot())


## Calls [method NpcObject.apply_state]: the game's own, if its script overrides it.
func apply_state(new_state: String, by: String = "") -> bool:
	return node.call(&"apply_state", new_state, by)


## What [method NpcObject.apply_state] does unless a game overrides it.
func usual_apply_state(new_state: String, by: String) -> bool:
	if new_state == state:
		return true
	if not states.is_empty() and new_state not in states:
		push_warning("NpcObject %s has no state '%s'. Use one of: %s." % [address, new_state, ", ".join(states)])
		return false
	state = new_state
	node.emit_signal(&"state_changed", state, by)
	var server := NpcSetup.find_server(node)
	if server != null:
		server.report_object(address, state, by)
	return true


## Says that a character has finished with the object. See [signal NpcObject.used].
func tell_used(npc_id: String, object_action: String) -> void:
	node.emit_signal(&"used", npc_id, object_action)


## Calls [method NpcObject.why_not]: the game's own, if its script overrides it.
func why_not(object_action: String) -> String:
	return node.call(&"why_not", object_action)


## What [method NpcObject.why_not] returns unless a game overrides it.
func usual_why_not(object_action: String) -> String:
	if object_action.is_empty() or actions.is_empty():
		return ""
	var object_name := NpcRules.with_article(display_name)
	if not actions.has(object_action):
		return "one cannot %s with %s" % [object_action, object_name]
	var needs := get_state_of(object_action, "needs")
	return "" if needs.is_empty() or needs == state else "%s is %s" % [object_name, state]


## Calls [method NpcObject.get_state_of]: the game's own, if its script overrides it.
func get_state_of(object_action: String, when: String) -> String:
	return node.call(&"get_state_of", object_action, when)


## What [method NpcObject.get_state_of] returns unless a game overrides it.
func usual_state_of(object_action: String, when: String) -> String:
	return str((actions.get(object_action, {}) as Dictionary).get(when, ""))


## See [method NpcObject.get_place_address].
func get_place_address() -> String:
	return address.substr(0, address.rfind(":"))


## Returns the innermost place at the object's position, or [code]null[/code].
func get_place() -> NpcPlaceCore:
	if _place_known_at != NpcPlaceCore.get_changes():
		_place_known_at = NpcPlaceCore.get_changes()
		_place = NpcPlaceCore.at(get_point(), is_3d)
	return _place


## Returns a number that changes whenever an object is added, removed or moved, or gets another state.
static func get_changes() -> int:
	return _changes


## Returns the addresses of all objects.
static func get_addresses() -> Array[String]:
	return _by_address.keys()


## Returns the object with an address, or [code]null[/code]. With [param in_3d] only one of 2D or 3D.
static func by_address(wanted: String, in_3d: Variant = null) -> NpcObjectCore:
	for object: NpcObjectCore in _by_address.list(wanted):
		if in_3d == null or object.is_3d == in_3d:
			return object
	return null


## Returns the objects of 2D or 3D within a distance of a point.
static func near(point: Vector3, distance: float, in_3d: bool) -> Array[NpcObjectCore]:
	var found: Array[NpcObjectCore] = []
	for object: NpcObjectCore in _get_grid(in_3d).near(point, distance):
		if point.distance_squared_to(object._point) <= distance * distance:
			found.append(object)
	return found


static func _get_grid(in_3d: bool) -> NpcGrid:
	return _grid_3d if in_3d else _grid_2d
