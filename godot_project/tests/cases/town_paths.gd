extends NpcTestCase
## From every bed a path leads to every object and every room of the town, and none leads through a wall.


func run() -> void:
	var town := open_town()
	await get_tree().process_frame
	var agent: NpcAgent = null
	check(await until(func() -> bool: return town.people.size() > 0 and town.people[0].get_agent().can_find_paths()), "No navigation map.")
	var paths := 0
	for person: DemoPerson in town.people.slice(0, int(argument("people", "1000"))):
		agent = person.get_agent()
		for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
			paths += _check_path(town, agent, (node as NpcObject).address)
		for node: Node in get_tree().get_nodes_in_group(NpcPlace.GROUP):
			paths += _check_path(town, agent, (node as NpcPlace).address)
	check(agent._mover.find_path(Vector3(-500, 0, -500)).is_empty(), "A path leads out of the town.")
	result = {"paths": paths, "objects": get_tree().get_node_count_in_group(NpcObject.GROUP)}
	result.merge({"town": town.plan.name, "inhabitants": town.people.size(), "outside": _outside(town)})


## Returns who stands where the screen does not show it.
func _outside(town: DemoTown) -> Array:
	var found: Array = []
	for person: DemoPerson in town.people:
		var at := (person.global_position - town._camera.position) * town._camera.zoom
		if not Rect2(0, 66, 1136, 834).has_point(at):
			found.append([person.get_agent().persona_id, at])
	return found


func _check_path(town: DemoTown, agent: NpcAgent, address: String) -> int:
	var goal: Vector2 = agent.get_spot_of(address)
	var path := agent._mover.find_path(NpcSpace.to_point(goal))
	check(not path.is_empty(), "No path for %s to %s." % [agent.persona_id, address])
	for i: int in range(1, path.size()):
		for step: int in 9:
			var at := NpcSpace2D.to_position(path[i - 1].lerp(path[i], step / 8.0))
			var cell := Vector2i(((at - town._ground.global_position) / DemoTownPlan.CELL).floor())
			check(not town.plan.walls.has(cell), "%s walks through the wall at %s to %s." % [agent.persona_id, cell, address])
	return 1
