extends NpcTestCase
## What the addon costs the main thread per frame, and what a path query costs: frames=N. With --town=alderwick there
## are 25 people. With --no-server they get actions from here, and the cost of NpcServer (bridge_bench) is not included.

## Game seconds between two decisions of a person, on average.
const DECIDES_EVERY_S := 720.0
## Game seconds that a person thinks after a path query.
const THINKS_S := 60.0
## Addresses per query, as the server asks by default.
const ADDRESSES := 12
const QUESTIONS := 200

var town: DemoTown
var _agents: Array[NpcAgent] = []
var _random := RandomNumberGenerator.new()
var _addresses: PackedStringArray = []
var _next_s: Dictionary[String, float] = {}
var _asked_s: Dictionary[String, float] = {}
var _chosen: Dictionary[String, String] = {}
var _asked: int = 0
var _is_played: bool = "--no-server" not in OS.get_cmdline_user_args()


func run() -> void:
	_random.seed = 7
	NpcServer.auto_clock = _is_played
	NpcServer.path_queried.connect(func(_npc: String, _id: String, _places: PackedStringArray) -> void: _asked += 1)
	town = open_town()
	await get_tree().process_frame
	_agents = NpcAgent.all()
	check(await until(_agents[0].can_find_paths), "There is no navigation map.")
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		_addresses.append((node as NpcObject).address)
	NpcServer.game_time_s = 1_777_852_800.0 + 9.0 * 3600.0
	result["answer_usec"] = _time_answers()
	for agent: NpcAgent in _agents:
		_next_s[agent.persona_id] = NpcServer.game_time_s + _random.randf() * DECIDES_EVERY_S
		agent.set_physics_process(false)
	_queue().set_process(false)
	if _is_played:
		check(await until(NpcServer.is_playing), "It never played.")
		NpcServer.set_process(false)
	else:
		NpcServer.npc_ids = PackedStringArray(_next_s.keys())
		pretend_to_play()
	var costs: Array[int] = []
	var seconds := 1.0 / Engine.physics_ticks_per_second
	for frame: int in int(argument("frames", "1800")):
		await get_tree().physics_frame
		var before := _times_put_off()
		var cost := _frame(seconds)
		if _times_put_off() == before:
			costs.append(cost)
	costs.sort()
	result.merge({"people": _agents.size(), "places": get_tree().get_node_count_in_group(NpcPlace.GROUP), "things": _addresses.size()})
	result.merge({"frame_usec": _spread(costs), "asked": _asked, "answered": _queue().answered})


## Returns the microseconds of all agents in one frame.
func _frame(delta: float) -> int:
	if not _is_played:
		NpcServer.game_time_s += delta * NpcServer.time_scale
	var decided := 0 if _is_played else _decide()
	var before := Time.get_ticks_usec()
	if _is_played:
		NpcServer._process(delta)
		NpcServer.absent._process(delta)
	for agent: NpcAgent in _agents:
		agent._physics_process(delta)
	_queue()._process(delta)
	return decided + Time.get_ticks_usec() - before


## Returns how often the system interrupted this thread. Frames with an interruption say nothing about the addon.
func _times_put_off() -> int:
	var file := FileAccess.open("/proc/thread-self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with("nonvoluntary_ctxt_switches:"):
			return int(line.get_slice(":", 1))
	return 0


## Acts as the minds do: a path query, and a little later an action at one of the addresses. Returns the cost.
func _decide() -> int:
	var cost := 0
	for agent: NpcAgent in _agents:
		var id := agent.persona_id
		if _chosen.has(id) and NpcServer.game_time_s >= _asked_s[id] + THINKS_S:
			var message := {"action_id": "a%d" % _asked, "npc_id": id, "sentence": "X is busy", "address": _chosen[id]}
			message["end_s"] = _next_s[id] + DECIDES_EVERY_S
			_chosen.erase(id)
			var action := NpcAction.from_message(message)
			var before := Time.get_ticks_usec()
			NpcServer.action_received.emit(id, action)
			cost += Time.get_ticks_usec() - before
		elif NpcServer.game_time_s >= _next_s[id]:
			_next_s[id] += DECIDES_EVERY_S * _random.randf_range(0.5, 1.5)
			var addresses := _some_addresses()
			_chosen[id] = addresses[0]
			_asked_s[id] = NpcServer.game_time_s
			var before := Time.get_ticks_usec()
			NpcServer.path_queried.emit(id, "q%d" % _asked, addresses)
			cost += Time.get_ticks_usec() - before
	return cost


func _time_answers() -> Dictionary:
	var costs: Array[int] = []
	for i: int in QUESTIONS:
		var agent := _agents[i % _agents.size()]
		var addresses := _some_addresses()
		var times := _times_put_off()
		var before := Time.get_ticks_usec()
		for address: String in addresses:
			agent.get_reach(address, agent.get_path_to_address(address))
		var cost := Time.get_ticks_usec() - before
		if _times_put_off() == times:
			costs.append(cost)
	costs.sort()
	return _spread(costs)


func _some_addresses() -> PackedStringArray:
	var found := PackedStringArray()
	for i: int in ADDRESSES:
		found.append(_addresses[_random.randi() % _addresses.size()])
	return found


func _queue() -> NpcPathQueue:
	return NpcServer.absent.get_node(^"NpcPathQueue") as NpcPathQueue


## [param costs] must be sorted.
func _spread(costs: Array[int]) -> Dictionary:
	@warning_ignore("integer_division")
	return {
		"median": costs[costs.size() / 2],
		"p95": costs[costs.size() * 95 / 100],
		"p99": costs[costs.size() * 99 / 100],
		"worst": costs[-1],
		"count": costs.size()
	}
