class_name NpcTalkWay
## Finds the ways of bodies that come up to somebody to talk.

## Metres between a character and the person to whom it comes up; the next if no way leads there, as over a counter.
const DISTANCES_M: Array[float] = [1.0, 1.5, 2.0]
## Two who talk stay where they are if no more metres are between them.
const APART_M := 2.0


## Returns [code]true[/code] if the agent's action is a talk and its body is in the place of it. [param object] is at the address
## of the action, or [code]null[/code].
static func is_in_place(agent: NpcAgent, object: NpcObjectCore) -> bool:
	if agent.action.talks_with.is_empty():
		return false
	var place := NpcPlaceCore.at(agent.get_point(), agent.is_3d())
	return place != null and place.address == (object.get_place_address() if object != null else agent.action.address)


## Returns the way to the first of those with whom the agent talks. Returns an empty path if the body stays: it is near, or
## the other comes, or no way leads there within the place. A player comes by themselves.
static func find_to_partner(agent: NpcAgent, mover: NpcMover) -> PackedVector3Array:
	var other := NpcAgents.by_id(agent.action.talks_with[0])
	if other == null or other.is_3d() != agent.is_3d() or other.comes_up_to(agent.persona_id):
		return PackedVector3Array()
	var here := agent.get_point()
	var there := other.get_goal_point()
	if NpcSpace.is_near(here, there, APART_M * agent.get_units_per_metre()):
		return PackedVector3Array()
	var path := find_up_to(agent, mover, there)
	var leaves := not path.is_empty() and NpcPlaceCore.at(path[-1], agent.is_3d()) != NpcPlaceCore.at(here, agent.is_3d())
	return PackedVector3Array() if leaves else path


## Returns the way to a point near somebody, at which nobody else stands. Returns an empty path if there is none, or the body
## is there already.
static func find_up_to(agent: NpcAgent, mover: NpcMover, there: Vector3) -> PackedVector3Array:
	var here := agent.get_point()
	for metres: float in DISTANCES_M:
		var distance := metres * agent.get_units_per_metre()
		if NpcSpace.is_near(here, there, distance):
			break
		var goal := there + NpcSpace.flat_direction(there, here) * distance
		var path := mover.find_path(NpcSpots.find_free(agent, goal))
		if not path.is_empty():
			return path
	return PackedVector3Array()
