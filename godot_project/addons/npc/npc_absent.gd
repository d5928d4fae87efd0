class_name NpcAbsent
extends Node
## Acts for characters that have no [NpcAgent] in the scene tree.
##
## While a character's agent is away, for example after a change of scene, the character goes on with its day. This node
## answers path queries for it. It reports the character's arrival after an estimated travel time, and sets the states
## of the objects it uses. An absent character perceives nothing. The node is a child of NpcServer:
## [code]NpcServer.absent[/code].

## How far a character has got with its action.
enum Progress {
	## It has no action, or the action is over.
	NONE,
	## It is on the way.
	UNDER_WAY,
	## It has arrived.
	THERE,
}

## Travel time within a room, in game seconds: about 14 m at 1.4 m/s.
const ROOM_S := 10.0
## Travel time between two rooms of a building, in game seconds: about 40 m, with a door or stairs.
const BUILDING_S := 30.0
## Travel time between two buildings, or from an unknown place, in game seconds: about 400 m.
const TOWN_S := 300.0

## If [code]true[/code], this node acts for characters without an [NpcAgent]. Set it to [code]false[/code] in a game
## that moves its characters itself.
var enabled: bool = true

var _server: NpcServerNode
var _characters: Dictionary[String, Character] = {}
var _next_s: float = INF


class Character:
	var action: NpcAction = null
	var progress: Progress = Progress.NONE
	## The last known address; empty if unknown.
	var address: String = ""
	## The state that the object in use gets when the action ends.
	var state_after: String = ""
	## Game time of the arrival, or of the end of the action.
	var due_s: float = INF


func _init() -> void:
	name = "NpcAbsent"


func _ready() -> void:
	if _server == null and get_parent() is NpcServerNode:
		setup(get_parent() as NpcServerNode)


func _process(_delta: float) -> void:
	if not enabled or not (_server.is_playing() or _server.is_without_minds()) or _server.game_time_s < _next_s:
		return
	_next_s = INF
	for npc_id: String in _characters:
		var character := _characters[npc_id]
		if NpcAgents.by_id(npc_id) != null:
			continue  # its agent takes over in this frame
		if character.due_s <= _server.game_time_s:
			_go_on(npc_id, character)
		_next_s = minf(_next_s, character.due_s)


## Connects the node to NpcServer, which calls this when it enters the tree.
func setup(server: NpcServerNode) -> void:
	_server = server
	server.action_received.connect(_on_action_received)
	server.loaded.connect(_on_loaded)
	var queue := NpcPathQueue.new()
	queue.name = "NpcPathQueue"
	queue.setup(server, self)
	add_child(queue)


## Called when a character's agent leaves the tree. [param address] is the address of the body. [param state_after] is
## the state that the object in use gets when the action ends.
func take_over(npc_id: String, action: NpcAction, progress: Progress, address: String, state_after: String) -> void:
	var character := Character.new()
	character.action = action
	character.progress = progress
	character.address = action.address if progress == Progress.THERE else address
	character.state_after = state_after
	_characters[npc_id] = character
	_plan(character, _server.game_time_s)
	if enabled and _server.is_playing() and not address.is_empty():
		_server.report_whereabouts(npc_id, address)


## Called when a character's agent enters the tree. Returns [code]true[/code] if the character has already arrived where
## its action takes place.
func give_back(npc_id: String) -> bool:
	var character: Character = _characters.get(npc_id)
	var told := _server.get_action(npc_id)
	_characters.erase(npc_id)
	return character != null and told != null and character.progress == Progress.THERE and character.action.action_id == told.action_id


## Answers a path query for one address. Only the rules of places that are in the tree count.
func get_reach(npc_id: String, address: String) -> Dictionary:
	var character: Character = _characters.get(npc_id)
	var way_s := get_travel_s(character.address if character != null else "", address)
	return {
		"address": address,
		"reachable": NpcRules.why_barred(npc_id, address, _server.game_time_s + way_s).is_empty(),
		"travel_s": way_s,
		"free": NpcRules.why_full(address).is_empty(),
	}


## Returns the travel time between two addresses in game seconds, estimated from the levels of the world tree that they
## share.
static func get_travel_s(from: String, to: String) -> float:
	if from == to:
		return 0.0
	var here := from.split(":")
	var there := to.split(":")
	var shared := 0
	while shared < mini(here.size(), there.size()) and here[shared] == there[shared]:
		shared += 1
	if shared >= 3:
		return ROOM_S
	return BUILDING_S if shared == 2 else TOWN_S


## Forgets where everybody was. Called when another save is played.
func forget() -> void:
	_characters.clear()
	_next_s = INF


func _on_action_received(npc_id: String, action: NpcAction) -> void:
	if NpcAgents.by_id(npc_id) != null:
		return
	var character: Character = _characters.get(npc_id)
	if character == null:
		character = Character.new()
		_characters[npc_id] = character
	elif character.action != null and character.action.action_id == action.action_id:
		character.action = action  # sent again after a lost connection
		return
	_leave_object(npc_id, character)
	# A character that was never here left at the latest now.
	var left_s := minf(action.start_s, _server.game_time_s) if character.action == null else _server.game_time_s
	character.action = action
	character.progress = Progress.UNDER_WAY
	_plan(character, left_s)


func _on_loaded(_slot: String) -> void:
	forget()


func _plan(character: Character, from_s: float) -> void:
	match character.progress:
		Progress.UNDER_WAY:
			character.due_s = from_s + get_travel_s(character.address, character.action.address)
		Progress.THERE:
			character.due_s = character.action.end_s
		_:
			character.due_s = INF
	_next_s = minf(_next_s, character.due_s)


func _go_on(npc_id: String, character: Character) -> void:
	if character.progress == Progress.THERE:
		_leave_object(npc_id, character)
		character.due_s = INF
		return
	var action := character.action
	character.progress = Progress.THERE
	character.address = action.address
	character.state_after = action.object_state_after
	_server.report_outcome(npc_id, action.action_id, "arrived", action.address)
	_server.report_whereabouts(npc_id, action.address)
	_set_object_state(npc_id, action.address, action.object_state)
	_plan(character, _server.game_time_s)


func _leave_object(npc_id: String, character: Character) -> void:
	if character.progress == Progress.THERE:
		_set_object_state(npc_id, character.action.address, character.state_after)
	character.state_after = ""


## The object may be in the tree although the character is not.
func _set_object_state(npc_id: String, address: String, state: String) -> void:
	if state.is_empty():
		return
	var object := NpcObjectCore.by_address(address)
	if object != null:
		object.apply_state(state, npc_id)
	else:
		_server.report_object(address, state, npc_id)
