class_name NpcSpots
## Finds room for bodies, so that people who come to the same place or object do not stand inside each other.

## Metres between two bodies that stand side by side.
const APART_M := 0.8
## Two bodies closer than this many metres stand inside each other.
const CROWDED_M := 0.5
## How many rings of places around the wanted one are tried.
const RINGS := 3
## How many places are in the first ring. The second has twice as many.
const SIDES := 8
## How far a place may be off the navigation map, in metres.
const OFF_MAP_M := 0.125


## Returns the point nearest to [param wanted] at which nobody stands and to which nobody walks. It is in the same place and
## on the navigation map. Returns [param wanted] if there is none.
static func find_free(agent: NpcAgent, wanted: Vector3) -> Vector3:
	var taken := _get_taken(agent, wanted)
	if taken.is_empty() or not _is_crowded(agent, wanted, taken):
		return wanted
	var metre := agent.get_units_per_metre()
	var room := NpcPlaceCore.at(wanted, agent.is_3d())
	for ring: int in range(1, RINGS + 1):
		for side: int in SIDES * ring:
			var point := wanted + Vector3.RIGHT.rotated(Vector3.UP, TAU * side / (SIDES * ring)) * APART_M * ring * metre
			if _is_crowded(agent, point, taken) or NpcPlaceCore.at(point, agent.is_3d()) != room:
				continue
			if NpcSpace.is_near(agent.space.get_nearest_on_map(point), point, OFF_MAP_M * metre):
				return point
	return wanted


## Returns where others stand, or will stand, near a point. Players stand where they are.
static func _get_taken(agent: NpcAgent, wanted: Vector3) -> PackedVector3Array:
	var found := PackedVector3Array()
	var far := APART_M * (RINGS + 1) * agent.get_units_per_metre()
	for other: NpcAgent in NpcAgents.all():
		if other == agent or other.is_3d() != agent.is_3d():
			continue
		var point := other.get_goal_point()
		if point.distance_squared_to(wanted) < far * far:
			found.append(point)
	for player: Node in agent.get_tree().get_nodes_in_group(NpcAgent.PLAYER_GROUP):
		if agent.space.has(player):
			found.append(NpcSpace.point_of(player))
	return found


static func _is_crowded(agent: NpcAgent, point: Vector3, taken: PackedVector3Array) -> bool:
	for other: Vector3 in taken:
		if NpcSpace.is_near(other, point, CROWDED_M * agent.get_units_per_metre()):
			return true
	return false
