class_name NpcAbsent
extends Node
## Lives for the people who have no NpcAgent in the tree: they go on with their day, by travel times instead of steps.
##
## A change of scene ends nobody's day. While a person's agent is away, this answers for how far places are, reports that the
## person has arrived when the time for the way has passed, and leaves things as the action leaves them. Such a person
## notices nothing. A child of NpcServer, as [code]NpcServer.absent[/code].

enum Progress { NONE, UNDER_WAY, THERE }

## Game seconds from one end of a room to the other: some 14 m at a walk of 1.4 m/s.
const ROOM_S := 10.0
## Game seconds from one room of a building to another: some 40 m with a door or a stair.
const BUILDING_S := 30.0
## Game seconds from one building to another, or from nobody knows where: some 400 m, across a village.
const TOWN_S := 300.0

## False in a game that moves people itself without NpcAgent nodes: then it answers and reports for them.
var enabled: bool = true

var _server: NpcServerNode
var _people: Dictionary[String, Person] = {}
var _next_s: float = INF


class Person:
	var action: NpcAction = null
	var progress: Progress = Progress.NONE
	## Where they were last; empty when nobody knows.
	var address: String = ""
	## What becomes of the thing that they use.
	var state_after: String = ""
	## Game time at which they arrive, or are done.
	var due_s: float = INF


func _init() -> void:
	name = "NpcAbsent"


func _ready() -> void:
	if _server == null and get_parent() is NpcServerNode:
		setup(get_parent() as NpcServerNode)


## Whose people these are; NpcServer does this when it begins.
func setup(server: NpcServerNode) -> void:
	_server = server
	server.action_received.connect(_on_action_received)
	server.loaded.connect(_on_loaded)
	var queue := NpcPathQueue.new()
	queue.name = "NpcPathQueue"
	queue.setup(server, self)
	add_child(queue)


## A person's agent leaves the tree. [param address]: where the body was. [param state_after]: what becomes of the thing in
## use when the action is over.
func take_over(npc_id: String, action: NpcAction, progress: Progress, address: String, state_after: String) -> void:
	var person := Person.new()
	person.action = action
	person.progress = progress
	person.address = action.address if progress == Progress.THERE else address
	person.state_after = state_after
	_people[npc_id] = person
	_plan(person, _server.game_time_s)
	if enabled and _server.is_playing() and not address.is_empty():
		_server.report_whereabouts(npc_id, address)


## A person's agent is in the tree again. Returns true when the person is where its action takes place.
func give_back(npc_id: String) -> bool:
	var person: Person = _people.get(npc_id)
	var told := _server.get_action(npc_id)
	_people.erase(npc_id)
	return person != null and told != null and person.progress == Progress.THERE and person.action.action_id == told.action_id


## What the minds want to know of an address for somebody without a body. Rules count where the places are in the tree.
func get_reach(npc_id: String, address: String) -> Dictionary:
	var person: Person = _people.get(npc_id)
	var way_s := travel_s(person.address if person != null else "", address)
	return {
		"address": address,
		"reachable": NpcRules.why_barred(get_tree(), npc_id, address, _server.game_time_s + way_s).is_empty(),
		"travel_s": way_s,
		"free": NpcRules.why_full(get_tree(), address).is_empty(),
	}


## Game seconds from one address to another, by how far they are apart in the world's tree: town, building, room, thing.
static func travel_s(from: String, to: String) -> float:
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


func _on_action_received(npc_id: String, action: NpcAction) -> void:
	if NpcPeople.by_id(npc_id) != null:
		return
	var person: Person = _people.get(npc_id)
	if person == null:
		person = Person.new()
		_people[npc_id] = person
	elif person.action != null and person.action.action_id == action.action_id:
		person.action = action  # told again after a lost connection
		return
	_leave_thing(npc_id, person)
	# Of who was never here, nobody knows when they set out: when they decided on it, at the latest now.
	var set_out_s := minf(action.start_s, _server.game_time_s) if person.action == null else _server.game_time_s
	person.action = action
	person.progress = Progress.UNDER_WAY
	_plan(person, set_out_s)


## Another save or another past: nobody was anywhere.
func forget() -> void:
	_people.clear()
	_next_s = INF


func _on_loaded(_slot: String) -> void:
	forget()


func _process(_delta: float) -> void:
	if not enabled or not _server.is_playing() or _server.game_time_s < _next_s:
		return
	_next_s = INF
	for npc_id: String in _people:
		var person := _people[npc_id]
		if NpcPeople.by_id(npc_id) != null:
			continue  # it takes over in this frame
		if person.due_s <= _server.game_time_s:
			_go_on(npc_id, person)
		_next_s = minf(_next_s, person.due_s)


func _plan(person: Person, from_s: float) -> void:
	match person.progress:
		Progress.UNDER_WAY:
			person.due_s = from_s + travel_s(person.address, person.action.address)
		Progress.THERE:
			person.due_s = person.action.end_s
		_:
			person.due_s = INF
	_next_s = minf(_next_s, person.due_s)


func _go_on(npc_id: String, person: Person) -> void:
	if person.progress == Progress.THERE:
		_leave_thing(npc_id, person)
		person.due_s = INF
		return
	var action := person.action
	person.progress = Progress.THERE
	person.address = action.address
	person.state_after = action.object_state_after
	_server.report_outcome(npc_id, action.action_id, "arrived", action.address)
	_server.report_whereabouts(npc_id, action.address)
	_set_thing(npc_id, action.address, action.object_state)
	_plan(person, _server.game_time_s)


func _leave_thing(npc_id: String, person: Person) -> void:
	if person.progress == Progress.THERE:
		_set_thing(npc_id, person.action.address, person.state_after)
	person.state_after = ""


## The thing may be in the tree though the person is not.
func _set_thing(npc_id: String, address: String, state: String) -> void:
	if state.is_empty():
		return
	var object := NpcObject.by_address(get_tree(), address)
	if object != null:
		object.apply_state(state, npc_id)
	else:
		_server.report_object(address, state, npc_id)
