class_name NpcPlayers
extends RefCounted
## What the game says of its players: who must not be spoken to, and who talks with whom. A talk ends when the player walks off.

## Seconds of real time between two looks at how far the players are.
const LOOK_S := 0.5

## A talk ends when the player is further away than this many metres, having been nearer. With 0 it does not.
var distance_m: float = NpcSettings.get_float(NpcSettings.TALK_DISTANCE)

var _server: NpcServerNode
var _talks: Array[Talk] = []
var _busy: Dictionary[String, bool] = {}
var _look_in_s: float = 0.0


class Talk:
	extends RefCounted
	var npc_id: String
	var player: String
	var was_near: bool = false


func _init(server: NpcServerNode) -> void:
	_server = server


## See [method NpcServerNode.set_player_busy].
func set_busy(player: String, busy: bool) -> void:
	if busy:
		_busy[player] = true
	else:
		_busy.erase(player)


## See [method NpcServerNode.is_player_free].
func is_free(player: String) -> bool:
	return not _busy.has(player)


## Reports what a player did to all characters who see it. Returns how many do.
func tell_deed(player: String, text: String, where: Variant) -> int:
	if not (where is Vector2 or where is Vector3):
		push_error("NpcServer.player_did() needs a global position, a Vector2 or Vector3, but got %s." % type_string(typeof(where)))
		return 0
	var witnesses := 0
	for agent: NpcAgent in NpcAgents.all():
		witnesses += 1 if agent.see_player_do(player, text, where) else 0
	return witnesses


## Notes that a player says something to a character.
func begin_talk(npc_id: String, player: String, reply: NpcReply) -> void:
	reply.finished.connect(_on_answered.bind(npc_id, player, reply), CONNECT_ONE_SHOT)
	if _find(npc_id, player) == null:
		var talk := Talk.new()
		talk.npc_id = npc_id
		talk.player = player
		_talks.append(talk)


## Notes that the talk is over.
func end_talk(npc_id: String, player: String) -> void:
	_talks.erase(_find(npc_id, player))


## Forgets all talks. Called when another save is played.
func forget() -> void:
	_talks.clear()


## Advances by some seconds of real time, and ends the talks of players who have walked off.
func step(delta: float) -> void:
	_look_in_s -= delta
	if _look_in_s > 0.0 or _talks.is_empty() or distance_m <= 0.0:
		return
	_look_in_s = LOOK_S
	for talk: Talk in _talks.duplicate():
		var far := _get_distance_m(talk)
		if far <= distance_m:
			talk.was_near = true
		elif talk.was_near:
			_server.end_talk(talk.npc_id, talk.player)


func _on_answered(npc_id: String, player: String, reply: NpcReply) -> void:
	if reply.ended:
		end_talk(npc_id, player)


func _find(npc_id: String, player: String) -> Talk:
	for talk: Talk in _talks:
		if talk.npc_id == npc_id and talk.player == player:
			return talk
	return null


## Returns how far the player is from the character. It is endless unless both have a body here.
func _get_distance_m(talk: Talk) -> float:
	var agent := NpcAgents.by_id(talk.npc_id)
	var body := NpcGaze.find_player(agent, talk.player) if agent != null else null
	return agent.get_point().distance_to(NpcSpace.point_of(body)) / agent.get_units_per_metre() if body != null else INF
