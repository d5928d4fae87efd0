class_name NpcAgents
## The agents in the tree, by persona and by position.

static var _all: Array[NpcAgent] = []
static var _by_id := NpcIndex.new()


## Adds an agent that enters the tree.
static func add(agent: NpcAgent) -> void:
	_all.append(agent)
	_by_id.add(agent.persona_id, agent)


## Removes an agent that leaves the tree or gets another persona.
static func remove(agent: NpcAgent) -> void:
	_all.erase(agent)
	_by_id.remove(agent.persona_id, agent)


## Returns [code]true[/code] if the agent is in the list.
static func has(agent: NpcAgent) -> bool:
	return _all.has(agent)


## Returns the number of agents.
static func count() -> int:
	return _all.size()


## Returns all agents, as a copy.
static func all() -> Array[NpcAgent]:
	return _all.duplicate()


## Returns the agent of a persona, or [code]null[/code].
static func by_id(npc_id: String) -> NpcAgent:
	return _by_id.first(npc_id) as NpcAgent


## Returns the agent whose parent is [param body], or [code]null[/code].
static func of_body(body: Node) -> NpcAgent:
	for agent: NpcAgent in _all:
		if body != null and agent.get_parent() == body:
			return agent
	return null


## Returns [code]true[/code] if a character is out of sight of the characters to whom it speaks. Who has no body here is
## never out of sight.
static func are_apart(npc_id: String, to: PackedStringArray) -> bool:
	var speaker := by_id(npc_id)
	if speaker == null:
		return false
	for other_id: String in to:
		var other := by_id(other_id)
		var far := speaker.vision_radius_m * speaker.get_units_per_metre()
		if other == null or other.is_3d() != speaker.is_3d() or other.get_point().distance_to(speaker.get_point()) <= far:
			return false
	return true


## Returns how many bodies are in a place.
static func count_in(place: NpcPlaceCore) -> int:
	var found := 0
	for agent: NpcAgent in _all:
		found += 1 if place.has_agent(agent) else 0
	return found


## Returns the agents of 2D or 3D whose bodies are within a distance of a point.
static func near(point: Vector3, distance: float, in_3d: bool) -> Array[NpcAgent]:
	var found: Array[NpcAgent] = []
	for agent: NpcAgent in _all:
		if agent.space.is_3d == in_3d and agent.space.get_point().distance_squared_to(point) <= distance * distance:
			found.append(agent)
	return found
