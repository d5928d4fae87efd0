class_name NpcPeople
## The agents in the tree: all of them, by persona, by where they are.

static var _all: Array[NpcAgent] = []
static var _by_id := NpcIndex.new()


## An agent that entered the tree.
static func add(agent: NpcAgent) -> void:
	_all.append(agent)
	_by_id.add(agent.persona_id, agent)


## An agent that leaves the tree, or gets another persona.
static func remove(agent: NpcAgent) -> void:
	_all.erase(agent)
	_by_id.remove(agent.persona_id, agent)


## Whether an agent is among them.
static func has(agent: NpcAgent) -> bool:
	return _all.has(agent)


## How many there are.
static func count() -> int:
	return _all.size()


## All of them, as a copy.
static func all() -> Array[NpcAgent]:
	return _all.duplicate()


## The agent of a persona, or null.
static func by_id(npc_id: String) -> NpcAgent:
	return _by_id.first(npc_id) as NpcAgent


## The agent under a body, or null.
static func of_body(body: Node2D) -> NpcAgent:
	for agent: NpcAgent in _all:
		if body != null and agent.get_parent() == body:
			return agent
	return null


## Those whose bodies are within a distance of a point, in pixels.
static func near(point: Vector2, distance: float) -> Array[NpcAgent]:
	var found: Array[NpcAgent] = []
	for agent: NpcAgent in _all:
		if agent.get_body_position().distance_squared_to(point) <= distance * distance:
			found.append(agent)
	return found


## How many stand in a rectangle, in global coordinates.
static func count_in(area: Rect2) -> int:
	var found := 0
	for agent: NpcAgent in _all:
		found += 1 if area.has_point(agent.get_body_position()) else 0
	return found
