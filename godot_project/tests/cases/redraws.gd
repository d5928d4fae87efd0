extends NpcTestCase
## Nothing in the demo is drawn again while nothing changes. Walking moves a figure and does not draw it.

const WATCHED_STEPS := 40

var probe := NpcFrameProbe.new()


func run() -> void:
	var town := open_town()
	check(await until(func() -> bool: return town.is_node_ready() and town.people[0].get_agent().can_find_paths()), "No town.")
	add_child(probe)
	probe.watch(town)
	for attempt: int in 20:
		probe.clear()
		await _let_pass()
		if probe.redraws.is_empty():
			break
	result["at_rest"] = probe.redraws.duplicate()
	var walker := town.people[0]
	await _send_out(walker)
	check(walker.is_walking(), "Nobody walks.")
	probe.clear()
	var from := walker.position
	await _let_pass()
	check(walker.position.distance_to(from) > 1.0, "Nobody walked.")
	result["walking"] = probe.redraws.duplicate()
	probe.clear()
	NpcServer.speech_received.emit(walker.get_agent().persona_id, "Mind the geese.", PackedStringArray(), false)
	await _let_pass()
	result["speaking"] = probe.redraws.duplicate()
	check(town.labels.count_bubbles() == 1, "What is said is not shown.")


func _let_pass() -> void:
	await let_steps_pass(WATCHED_STEPS)
	await let_frames_pass(2)


## Sends the person to an open place of the town that is some way off.
func _send_out(person: DemoPerson) -> void:
	var action := NpcAction.new()
	action.npc_id = person.get_agent().persona_id
	action.action_id = "a-1"
	action.sentence = "Somebody is looking around"
	for node: Node in get_tree().get_nodes_in_group(NpcPlace.GROUP):
		var place := node as NpcPlace
		if place.open and place.address.count(":") == 2:
			action.address = place.address
	action.end_s = int(NpcServer.game_time_s) + 86_000
	NpcServer.action_received.emit(action.npc_id, action)
	await until(person.is_walking)
	await _let_pass()
