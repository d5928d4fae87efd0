class_name NpcGaze
extends RefCounted
## Whom a character looks at: the people it talks with, and whoever speaks to it.

## Seconds of real time for which a character keeps looking at somebody after a line.
const KEPT_S := 6.0

var _agent: NpcAgent
## The body it looks at because of a line, or [code]null[/code].
var _body: Node = null
var _left_s: float = 0.0
## Whom it talks with during its action. Kept, because it is asked for in each step.
var _partner: Node = null
var _partner_of: NpcAction = null


func _init(agent: NpcAgent) -> void:
	_agent = agent


## Returns the body of a character or player in the tree, by id or name. Returns [code]null[/code] if there is none in
## the agent's space.
static func find_body(agent: NpcAgent, person: String) -> Node:
	var other := NpcAgents.by_id(person)
	if other == null:
		return find_player(agent, person)
	return other.get_parent() if agent.space.has(other.get_parent()) else null


## Returns the body of a player by name, or [code]null[/code] if there is none in the agent's space.
static func find_player(agent: NpcAgent, player: String) -> Node:
	for body: Node in agent.get_tree().get_nodes_in_group(NpcAgent.PLAYER_GROUP):
		if body.name == player and agent.space.has(body):
			return body
	return null


## Lets the character look at somebody for a while. Does nothing if there is no such body.
func turn_to(person: String) -> void:
	var found := find_body(_agent, person)
	if found != null and found != _agent.get_parent():
		_body = found
		_left_s = KEPT_S


## Returns where it looks, as a unit vector seen from above, or zero if it looks at nobody: who walks looks ahead.
## Advances by one step.
func step(delta: float) -> Vector3:
	_left_s -= delta
	if not _agent.turns_to_talk or _agent.doing == NpcAgent.Doing.WALKING:
		return Vector3.ZERO
	var at := _body if _left_s > 0.0 and _is_here(_body) else _find_partner()
	return NpcSpace.flat_direction(_agent.get_point(), NpcSpace.point_of(at)) if at != null else Vector3.ZERO


func _find_partner() -> Node:
	if _agent.doing != NpcAgent.Doing.ACTING or _agent.action.talks_with.is_empty():
		return null
	if _partner_of != _agent.action or not _is_here(_partner):
		_partner_of = _agent.action
		_partner = find_body(_agent, _agent.action.talks_with[0])
	return _partner


static func _is_here(body: Variant) -> bool:
	return is_instance_valid(body) and (body as Node).is_inside_tree()
