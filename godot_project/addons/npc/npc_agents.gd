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
static func of_body(body: Node2D) -> NpcAgent:
	for agent: NpcAgent in _all:
		if body != null and agent.get_parent() == body:
			return agent
	return null


## Returns the agents whose bodies are within [param distance] pixels of a point.
static func near(point: Vector2, distance: float) -> Array[NpcAgent]:
	var found: Array[NpcAgent] = []
	for agent: NpcAgent in _all:
		if agent.get_body_position().distance_squared_to(point) <= distance * distance:
			found.append(agent)
	return found


## Returns how many bodies are in a rectangle in global coordinates.
static func count_in(area: Rect2) -> int:
	var found := 0
	for agent: NpcAgent in _all:
		found += 1 if area.has_point(agent.get_body_position()) else 0
	return found
