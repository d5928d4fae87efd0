extends NpcTestCase
## Characters whose scene is left go on by travel times, and are in the right place when it is opened again. Without a
## server.

const START_S := 100_000
const ASKING := 20

var _scene: Node2D
var _signals: Array[String] = []


func has_absent_characters() -> bool:
	return true


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.game_time_s = START_S
	pretend_to_play()
	NpcServer.npc_ids = ["mara", "tobin"]
	await get_tree().process_frame
	var mara := _open()
	_tell("mara", "one", "town:house:kitchen:stove", START_S + 600, "on", "off")
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "Mara did not get to her stove.")
	await _leave()
	check(_states() == ["on"], "The stove was left as the scene was: %s" % str(_states()))
	await _wait(600)
	check(_states() == ["on", "off"], "The stove is never put out: %s" % str(_states()))
	await _live_on()
	await _come_back()
	await _leave_on_the_way()
	await _walk_after_all()
	await _never_seen()
	await _take_turns()
	await _tell_mistakes()
	stop_pretending()
	result.merge({"arrived": _arrivals(), "signals": _signals})


## Away from the scene, Mara goes to the shop.
func _live_on() -> void:
	_tell("mara", "two", "town:shop", START_S + 3600)
	await _wait(int(NpcAbsent.TOWN_S) - 10)
	check("two" not in _arrivals(), "She was at the shop at once.")
	var reaches := await _ask("mara", ["town:house:kitchen", "town:house:hall", "town:shop"])
	var times := reaches.map(func(reach: Dictionary) -> float: return reach["travel_s"])
	check(times == [NpcAbsent.ROOM_S, NpcAbsent.BUILDING_S, NpcAbsent.TOWN_S], "How far it is from her stove: %s" % str(times))
	await _wait(20)
	check(_arrivals().count("two") == 1, "She did not get to the shop: %s" % str(_arrivals()))
	check(_whereabouts().back() == "town:shop", "Nobody knows that she is in the shop: %s" % str(_whereabouts()))


## The scene is opened again: her body stands in the shop, and the arrival is not reported twice.
func _come_back() -> void:
	var mara := _open()
	await get_tree().process_frame
	check(mara.doing == NpcAgent.Doing.ACTING and mara.action.action_id == "two", "She does not know what she does.")
	check(NpcPlace.at(mara.get_body_position()).address == "town:shop", "She stands at %s." % mara.get_body_position())
	await _wait(30)
	check(_arrivals().count("two") == 1, "She arrived twice: %s" % str(_arrivals()))
	var before := _count("path_result")
	await _ask("mara", ["town:house:kitchen"])
	await _wait(0)
	check(_count("path_result") == before + 1, "A question was answered twice.")


func _leave_on_the_way() -> void:
	var mara := NpcAgents.by_id("mara")
	_tell("mara", "three", "town:house:kitchen:stove", START_S + 7200, "on", "off")
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "She does not set out.")
	await _leave()
	await _wait(30)
	check("three" not in _arrivals(), "She is home at once.")
	mara = _open()
	await get_tree().process_frame
	check(mara.action != null and mara.action.action_id == "three", "She forgot where she goes.")
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "She never gets there.")
	await _leave()
	await _wait(1000)
	check(_arrivals().count("three") == 1, "She arrived more than once: %s" % str(_arrivals()))


## A game may let her walk in from the door instead.
func _walk_after_all() -> void:
	var mara := _open(false)
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.WALKING), "She appears where she should walk to.")
	check(mara.action.action_id == "three", "She does something else: %s" % mara.action.action_id)
	check(await until(func() -> bool: return mara.doing == NpcAgent.Doing.ACTING), "She never gets there.")
	check(_arrivals().count("three") == 1, "She arrives again: %s" % str(_arrivals()))
	await _leave()


## Tobin has no body anywhere. He has arrived for the action that he decided on long ago.
func _never_seen() -> void:
	_tell("tobin", "old", "town:house:hall", START_S + 90_000, "", "", START_S - 4000)
	await _wait(1)
	check("old" in _arrivals(), "Who has no body never arrives.")
	NpcServer.absent.enabled = false
	_tell("tobin", "new", "town:shop", START_S + 90_000)
	await _wait(1000)
	check("new" not in _arrivals(), "A game that moves people itself is told where they are.")
	NpcServer.absent.enabled = true
	await _wait(1)
	check("new" in _arrivals(), "Tobin is stuck.")


## Many queries at once: no more than two are answered per frame, in the order in which they came.
func _take_turns() -> void:
	_open()
	var before := _count("path_result")
	var most := 0
	for i: int in ASKING:
		NpcServer.path_queried.emit("mara" if i % 2 == 0 else "tobin", "turn %d" % i, PackedStringArray(["town:shop"]))
	var seen := before
	while seen < before + ASKING and frames < 100_000:
		await get_tree().process_frame
		most = maxi(most, _count("path_result") - seen)
		seen = _count("path_result")
	check(most == NpcPathQueue.ANSWERS_PER_FRAME, "%d answers in a frame." % most)
	for who: String in ["mara", "tobin"] as Array[String]:
		var order := _of("path_result").slice(before).filter(func(told: Dictionary) -> bool: return told["npc_id"] == who)
		var numbers := order.map(func(told: Dictionary) -> int: return (told["query_id"] as String).trim_prefix("turn ").to_int())
		var sorted := numbers.duplicate()
		sorted.sort()
		check(numbers == sorted and numbers.size() * 2 == ASKING, "Who came first is not served first: %s" % str(numbers))


## A persona that nobody has and a place of another town are reported once each, with the fix.
func _tell_mistakes() -> void:
	var errors: Array[NpcError] = []
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(error))
	var body := Node2D.new()
	var agent := NpcAgent.new()
	agent.persona_id = "marra"
	body.add_child(agent)
	_scene.add_child(body)
	var place := NpcPlace.new()
	place.address = "twon:green"
	_scene.add_child(place)
	for i: int in 2:
		await _ask("mara", ["town:shop"])
		NpcServer.connected.emit()
	check(errors.size() == 2, "Mistakes are told as %s." % str(errors))
	result["mistakes"] = errors.map(func(error: NpcError) -> String: return error.reason + ": " + error.message)


func _ask(npc_id: String, addresses: PackedStringArray) -> Array:
	var before := _count("path_result")
	NpcServer.path_queried.emit(npc_id, "q", addresses)
	check(await until(func() -> bool: return _count("path_result") > before), "Nobody answers for %s." % npc_id)
	return _of("path_result").back()["reaches"]


func _tell(npc_id: String, id: String, address: String, end_s: int, during: String = "", after: String = "", start_s: int = -1) -> void:
	var message := {"action_id": id, "npc_id": npc_id, "sentence": "X is busy", "address": address, "end_s": end_s}
	message.merge({"object_state": during, "object_state_after": after, "source": "DECISION_SOURCE_INSTINCT"})
	message["start_s"] = start_s if start_s >= 0 else int(NpcServer.game_time_s)
	come_down({"action": message})


## Lets game time pass, and a frame in which it is noticed.
func _wait(game_s: int) -> void:
	NpcServer.game_time_s += game_s
	await get_tree().process_frame
	await get_tree().process_frame


func _leave() -> void:
	_scene.free()
	await get_tree().process_frame


func _open(appears: bool = true) -> NpcAgent:
	_scene = Node2D.new()
	var agent := NpcAgent.new()
	agent.persona_id = "mara"
	agent.walk_speed = 2000.0
	agent.appear_at_action = appears
	agent.arrived.connect(func(action: NpcAction) -> void: _signals.append(action.action_id))
	var body := Node2D.new()
	body.position = Vector2(50, 50)
	body.add_child(agent)
	_scene.add_child(body)  # before the places, which may be the order in any scene
	for place: Array in [["town", 0, 1000], ["town:house", 0, 300], ["town:house:kitchen", 0, 150], ["town:shop", 600, 200]]:
		var node := NpcPlace.new()
		node.address = place[0]
		node.position.x = place[1]
		node.size = Vector2(place[2], 200)
		_scene.add_child(node)
	var stove := NpcObject.new()
	stove.address = "town:house:kitchen:stove"
	stove.states = ["on", "off"]
	stove.state = "off"
	stove.position = Vector2(100, 100)
	_scene.add_child(stove)
	var shape := NavigationPolygon.new()
	shape.vertices = PackedVector2Array([Vector2.ZERO, Vector2(1000, 0), Vector2(1000, 200), Vector2(0, 200)])
	shape.add_polygon(PackedInt32Array([0, 1, 2, 3]))
	var region := NavigationRegion2D.new()
	region.navigation_polygon = shape
	_scene.add_child(region)
	get_tree().root.add_child(_scene)
	return agent


func _of(kind: String) -> Array:
	var events: Array = NpcServer._log._events.filter(func(event: Dictionary) -> bool: return event.has(kind))
	return events.map(func(event: Dictionary) -> Dictionary: return event[kind])


func _count(kind: String) -> int:
	return _of(kind).size()


func _arrivals() -> Array:
	var found := _of("outcome").filter(func(outcome: Dictionary) -> bool: return str(outcome["status"]).ends_with("ARRIVED"))
	return found.map(func(outcome: Dictionary) -> String: return outcome["action_id"])


func _whereabouts() -> Array:
	return _of("whereabouts").map(func(told: Dictionary) -> String: return told["address"])


func _states() -> Array:
	return _of("object_change").map(func(told: Dictionary) -> String: return told["state"])
