class_name NpcSenses
extends RefCounted
## Reports what an [NpcAgent] perceives: once, and again when it changes.

## Metres by which the distance to the nearest player must change before it is reported again.
const PLAYER_STEP_M := 4.0

static var _frame: int = -1
static var _looks: int = 0

## The address of the place in which the body was last seen.
var place_address: String = ""

var _agent: NpcAgent
var _server: NpcServerNode
var _people: Dictionary[String, String] = {}
var _objects: Dictionary[String, String] = {}
var _players: Dictionary[String, bool] = {}
var _looked_from := Vector3.INF
var _looked_when := Vector3i.ZERO
var _player_steps: int = -1
var _look_in_s: float = 0.0


func _init(agent: NpcAgent, server: NpcServerNode) -> void:
	_agent = agent
	_server = server
	_look_in_s = randf() * agent.look_interval_s


## Reports everything again, from the next frame on.
func forget() -> void:
	_people.clear()
	_players.clear()
	_objects.clear()
	_looked_from = Vector3.INF
	place_address = ""
	_look_in_s = 0.0


## Returns [code]true[/code] if it is time to look around. Agents take turns if many are due at once, as after
## connecting.
func is_due(delta: float) -> bool:
	_look_in_s -= delta
	if _look_in_s > 0.0 or not _server.is_playing():
		return false
	var frame := Engine.get_physics_frames()
	if frame != _frame:
		_frame = frame
		_looks = 0
	# Enough for all agents to look as often as they should.
	if _looks > NpcAgents.count() * delta / maxf(_agent.look_interval_s, delta):
		return false
	_looks += 1
	_look_in_s = _agent.look_interval_s
	return true


## Reports what is new around the body.
func look_around() -> void:
	if _agent.persona_id not in _server.npc_ids:
		return
	var at := _agent.get_point()
	var here := _get_place(at)
	var players := _get_players_near()
	_report_whereabouts(here, players)
	var reach := _agent.vision_radius_m * _agent.get_units_per_metre()
	_look_at_people(here, players, reach)
	_look_at_objects(here, reach)


## Reports a line that another character says aloud, if this one overhears it.
func hear(npc_id: String, text: String, to: PackedStringArray) -> void:
	if _agent.persona_id in to or _agent.persona_id not in _server.npc_ids:
		return
	var speaker := NpcAgents.by_id(npc_id)
	if speaker == null or speaker.is_3d() != _agent.is_3d():
		return
	var where := speaker.get_point()
	var there := _get_place(where)
	if _get_distance_m(where) <= _agent.vision_radius_m and _can_see(_get_place(_agent.get_point()), there):
		_server.perceive(_agent.persona_id, "speech", npc_id, text, there.address if there != null else "", _get_distance_m(where))


## Reports what a player did, if the agent sees the position. Returns whether it does.
func see_player_do(player: String, text: String, where: Vector3) -> bool:
	if _agent.persona_id not in _server.npc_ids or _get_distance_m(where) > _agent.vision_radius_m:
		return false
	var there := _get_place(where)
	if not _can_see(_get_place(_agent.get_point()), there):
		return false
	var address := there.address if there != null else ""
	_server.perceive(_agent.persona_id, "event", player, text, address, _get_distance_m(where), "", _get_presence(player))
	return true


func _look_at_people(here: NpcPlaceCore, players: Array[Node], reach: float) -> void:
	var at := _agent.get_point()
	var seen: Dictionary[String, String] = {}
	for other: NpcAgent in NpcAgents.near(at, reach, _agent.is_3d()):
		if other != _agent and _can_see(here, _get_place(other.get_point())):
			_notice(seen, _people, "person", other.persona_id, other.get_predicate(), other.get_point(), other.get_way())
	var in_sight: Dictionary[String, bool] = {}
	for player: Node in players:
		var there := NpcSpace.point_of(player)
		if at.distance_squared_to(there) <= reach * reach and _can_see(here, _get_place(there)):
			_notice(seen, _people, "person", player.name, "is here", there, "", _get_presence(player.name))
			in_sight[player.name] = true
	for player: String in _players:
		if not in_sight.has(player):
			_server.perceive(_agent.persona_id, "person", player, "", "", 0.0, "", "gone")
	_players = in_sight
	_people = seen


## Looks at objects only if the body has moved, or an object or place has changed.
func _look_at_objects(here: NpcPlaceCore, reach: float) -> void:
	var at := _agent.get_point()
	var now := Vector3i(NpcObjectCore.get_changes(), NpcPlaceCore.get_changes(), int(reach))
	if at == _looked_from and now == _looked_when:
		return
	_looked_from = at
	_looked_when = now
	var seen: Dictionary[String, String] = {}
	for object: NpcObjectCore in NpcObjectCore.near(at, reach, _agent.is_3d()):
		if not object.state.is_empty() and _can_see(here, object.get_place()):
			_notice(seen, _objects, "object", object.address, "is " + object.state, object.get_point())
	_objects = seen


func _report_whereabouts(here: NpcPlaceCore, players: Array[Node]) -> void:
	if here == null or here.address.is_empty():
		return
	var player_m := -1.0
	for player: Node in players:
		var metres := _get_distance_m(NpcSpace.point_of(player))
		if player_m < 0.0 or metres < player_m:
			player_m = metres
	var steps := int(player_m / PLAYER_STEP_M) if player_m >= 0.0 else -1
	if place_address.is_empty() or steps != _player_steps:
		_player_steps = steps
		_server.report_whereabouts(_agent.persona_id, here.address, player_m)
	if here.address != place_address:
		place_address = here.address
		_server.perceive(_agent.persona_id, "place", place_address, "", place_address)


## Returns the players within twice the vision radius.
func _get_players_near() -> Array[Node]:
	var found: Array[Node] = []
	for player: Node in _agent.get_tree().get_nodes_in_group(NpcAgent.PLAYER_GROUP):
		if _agent.space.has(player) and _get_distance_m(NpcSpace.point_of(player)) <= _agent.vision_radius_m * 2.0:
			found.append(player)
	return found


func _notice(
	seen: Dictionary[String, String],
	before: Dictionary[String, String],
	kind: String,
	subject: String,
	text: String,
	where: Vector3,
	way: String = "",
	presence: String = ""
) -> void:
	seen[subject] = "%s %s %s" % [text, way, presence]
	if before.get(subject, "") == seen[subject]:
		return
	var address := subject
	if kind != "object":
		var place := _get_place(where)
		address = place.address if place != null else ""
	_server.perceive(_agent.persona_id, kind, subject, text, address, _get_distance_m(where), way, presence)


## Returns the presence of a player in sight, as [method NpcServerNode.perceive] takes it.
func _get_presence(player: String) -> String:
	return "free" if _server.is_player_free(player) else "busy"


func _get_distance_m(where: Vector3) -> float:
	return _agent.get_point().distance_to(where) / _agent.get_units_per_metre()


func _get_place(point: Vector3) -> NpcPlaceCore:
	return NpcPlaceCore.at(point, _agent.is_3d())


## Returns [code]true[/code] if no wall is between two places.
static func _can_see(here: NpcPlaceCore, there: NpcPlaceCore) -> bool:
	return here == null or there == null or here == there or (here.open and there.open)
