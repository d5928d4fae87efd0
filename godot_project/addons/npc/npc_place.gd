@icon("res://addons/npc/icons/place.svg")
class_name NpcPlace
extends Node2D
## A place of the world's tree: a building, a room, a lawn. Its rectangle starts at the node's position.

## Group of all places.
const GROUP := &"npc_places"

## Ids from the root, joined with ":", e.g. "millbrook:cafe:kitchen".
@export var address: String = ""
## For people: "the Kettle Café".
@export var display_name: String = ""
## Size in pixels.
@export var size := Vector2(64, 64)
## True when it has no walls: who stands in it sees what is in other open places, and is seen.
@export var open: bool = false
## People who fit at once; 0 for no limit.
@export var capacity: int = 0
## When it is open, e.g. "08:00-17:00"; "20:00-02:00" goes past midnight; always while it is empty. Owners come and go.
@export var hours: String = ""
## Ids of the only characters who may enter; everybody while it is empty.
@export var owners: PackedStringArray = []
## Where people go who come here; the middle when it is empty. Relative to the node.
@export var spots := PackedVector2Array()


func _ready() -> void:
	add_to_group(GROUP)


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
	var opens := _seconds(hours.get_slice("-", 0))
	var closes := _seconds(hours.get_slice("-", 1))
	return second >= opens and second < closes if opens <= closes else second >= opens or second < closes


## True when this place lies in that one.
func is_in(other: String) -> bool:
	return address == other or address.begins_with(other + ":")


## A global position to go to; another one for each [param salt], so that people do not stand inside each other.
func get_spot(salt: int = 0) -> Vector2:
	return global_position + (size / 2.0 if spots.is_empty() else spots[absi(salt) % spots.size()])


## Agents whose bodies are in it now.
func count_people() -> int:
	var found := 0
	for agent: NpcAgent in NpcAgent.all(get_tree()):
		if get_rect().has_point(agent.get_body_position()):
			found += 1
	return found


## The innermost place at a point, or null.
static func at(tree: SceneTree, point: Vector2) -> NpcPlace:
	var best: NpcPlace = null
	for node: Node in tree.get_nodes_in_group(GROUP):
		var place := node as NpcPlace
		if place != null and place.get_rect().has_point(point):
			if best == null or place.address.count(":") > best.address.count(":"):
				best = place
	return best


## The place with this address, or null.
static func by_address(tree: SceneTree, wanted: String) -> NpcPlace:
	for node: Node in tree.get_nodes_in_group(GROUP):
		var place := node as NpcPlace
		if place != null and place.address == wanted:
			return place
	return null


static func _seconds(hour_and_minute: String) -> int:
	return int(hour_and_minute.get_slice(":", 0)) * 3600 + int(hour_and_minute.get_slice(":", 1)) * 60
