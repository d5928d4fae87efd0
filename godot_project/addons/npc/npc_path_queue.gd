class_name NpcPathQueue
extends Node
## Answers path queries in the order in which they arrive. Each frame does only a little of the work, so that no frame
## gets long. Godot's worker threads search the paths.

## How many queries are answered in one frame.
const ANSWERS_PER_FRAME := 2
## How many queries are searched at the same time.
const MAX_SEARCHES := 4
## Microseconds per frame for each waiting query. The rest waits for the next frame. At least one address is answered in
## each.
const USEC_PER_QUERY := 80
## The limit in microseconds per frame, however many queries wait. The minds wait for seconds.
const MAX_USEC := 2000

## How many queries were answered. Meant for tests and benchmarks.
var answered: int = 0

var _server: NpcServerNode
var _absent: NpcAbsent
var _queries: Array[Query] = []
var _reported_towns: PackedStringArray = []
var _places_checked: int = -1


class Query:
	extends RefCounted
	var npc_id: String
	var query_id: String
	var addresses: PackedStringArray
	var reaches: Array[Dictionary] = []
	var waited_s: float = 0.0
	var search: NpcPathSearch = null


func _exit_tree() -> void:
	_forget()


func _process(delta: float) -> void:
	if _queries.is_empty():
		return
	var end_usec := Time.get_ticks_usec() + mini(USEC_PER_QUERY * _queries.size(), MAX_USEC)
	var answers := 0
	var searches := 0
	var at := 0
	while at < _queries.size() and answers < ANSWERS_PER_FRAME and searches < MAX_SEARCHES:
		var query := _queries[at]
		if not _is_ready(query, delta):
			searches += 1 if query.search != null else 0
			at += 1
			continue
		if not _answer(query, end_usec):
			return
		_queries.remove_at(at)
		_server.answer_path_query(query.npc_id, query.query_id, query.reaches)
		answers += 1
		answered += 1


## Connects the queue. [param absent] answers for characters without an agent.
func setup(server: NpcServerNode, absent: NpcAbsent) -> void:
	_server = server
	_absent = absent
	server.path_queried.connect(_on_path_queried)
	server.loaded.connect(func(_slot: String) -> void: _forget())


func _on_path_queried(npc_id: String, query_id: String, addresses: PackedStringArray) -> void:
	if NpcAgents.by_id(npc_id) == null and not _absent.enabled:
		return  # the game answers it
	if not addresses.is_empty():
		_report_other_towns(addresses[0].get_slice(":", 0))
	var query := Query.new()
	query.npc_id = npc_id
	query.query_id = query_id
	query.addresses = addresses
	_queries.append(query)


## Returns [code]true[/code] when the navigation map is there and the search has ended.
func _is_ready(query: Query, delta: float) -> bool:
	var agent := NpcAgents.by_id(query.npc_id)
	if query.search != null:
		return query.search.is_done()
	if agent == null:
		return true
	if agent.can_find_paths():
		query.search = NpcPathSearch.new(agent, query.addresses)
		return false
	query.waited_s += delta
	if query.waited_s < NpcAgent.MAP_PATIENCE_S:
		return false
	NpcSetup.report_no_navigation(agent, _server)
	return true


## Answers the addresses one by one. Returns [code]false[/code] if the frame's time is up before the last.
func _answer(query: Query, end_usec: int) -> bool:
	while query.reaches.size() < query.addresses.size():
		var address := query.addresses[query.reaches.size()]
		var agent := NpcAgents.by_id(query.npc_id)
		if agent == null:
			query.reaches.append(_absent.get_reach(query.npc_id, address))
		else:
			var path := query.search.get_path_to(address) if query.search != null else PackedVector3Array()
			if path.is_empty() and query.search != null:
				NpcSetup.report_far_from_map(agent, address, _server)
			query.reaches.append(agent.get_reach(address, path))
		if Time.get_ticks_usec() >= end_usec:
			return query.reaches.size() == query.addresses.size()
	return true


## The minds ask only for addresses of their own town. A place with another town in its address is a mistake: nobody
## would ever go there.
func _report_other_towns(town: String) -> void:
	if _places_checked == NpcPlaceCore.get_changes():
		return
	_places_checked = NpcPlaceCore.get_changes()
	for root: String in NpcPlaceCore.get_towns():
		if root != town and root not in _reported_towns:
			_reported_towns.append(root)
			var message := "The minds live in the town '%s', but places in this scene belong to '%s'. Nobody goes there. Correct the addresses: %s."
			var addresses := NpcPlaceCore.parts_of(root).map(func(place: NpcPlaceCore) -> String: return place.address)
			var error := NpcError.make("NOT_FOUND", "PLACE_OUTSIDE_TOWN", message % [town, root, ", ".join(PackedStringArray(addresses))])
			_server.failed.emit(error)


func _forget() -> void:
	for query: Query in _queries:
		if query.search != null:
			query.search.finish()
	_queries.clear()
