class_name NpcRoutines
extends RefCounted
## Lets characters live by the routine of their persona files while there is no server. The same signals tell what they do. When a
## server comes, the minds take over from where everybody stands.

## The reason of lines that nobody answers.
const NO_MINDS := "NO_MINDS"

## If [code]true[/code], no mind decides.
var is_on: bool = false
## Seconds after which a lost server counts as gone. One that was killed is back before.
var lost_after_s: float = 20.0

var _server: NpcServerNode
var _clock: NpcClock
var _log: NpcPlayLog
var _saves: NpcSaves
var _minds: NpcMinds
var _file: NpcRoutineFile = null
## For each person, the game time at which the next step begins.
var _due_s: Dictionary[String, int] = {}
var _begin_in_s: float = INF
## If [code]true[/code], a mind will hear of what happens now, once the server is back.
var _is_awaited: bool = false
var _greeted: int = 0


func _init(server: NpcServerNode, session: NpcSession) -> void:
	_server = server
	_clock = session.clock
	_log = session.play.log
	_saves = session.saves
	_minds = session.minds


## Called when there is no server. With [param was_playing] it may soon be back, so the routines wait a little.
func begin(was_playing: bool) -> void:
	if not is_on and is_inf(_begin_in_s) and not _saves.slot.is_empty():
		_begin_in_s = lost_after_s if was_playing else 0.0
		_is_awaited = was_playing


## Called when the minds decide again, and when play ends.
func end() -> void:
	is_on = false
	_begin_in_s = INF
	_due_s.clear()
	_log.is_closed = false


## Advances by a frame.
func step(delta: float, paused: bool) -> void:
	if not is_on:
		_begin_in_s -= delta
		if _begin_in_s > 0.0:
			return
		_begin()
	_clock.advance(delta, paused)
	var now_s := floori(_clock.now_s)
	for npc_id: String in _file.get_people():
		if _due_s.get(npc_id, now_s) <= now_s:
			var action := _file.get_action(npc_id, now_s)
			if action != null:
				_due_s[npc_id] = action.end_s
				_minds.take_action(action)


## Answers a line with a greeting of the persona, which is all that somebody says without a mind.
func greet(reply: NpcReply) -> NpcReply:
	var agent := NpcAgents.by_id(reply.npc_id)
	var place := NpcPlaceCore.at(agent.get_point(), agent.is_3d()) if agent != null else null
	var text := _file.get_greeting(reply.npc_id, floori(_clock.now_s), place.address if place != null else "", _greeted)
	_greeted += 1
	if text.is_empty():
		var words := "'%s' cannot answer: there is no server, and the persona has no greeting (voice.greetings) for now."
		reply.fail.call_deferred(NpcError.make("UNAVAILABLE", NO_MINDS, words % reply.npc_id))
	else:
		_answer.call_deferred(reply, text)
	return reply


func _begin() -> void:
	is_on = true
	_file = NpcRoutineFile.read()
	_clock.begin_own_time(_file.start_s)
	_log.is_closed = not _is_awaited
	_greeted = 0


func _answer(reply: NpcReply, text: String) -> void:
	reply.take({"full_text": text, "done": true, "ended": true, "source": "routine"})
	_server.answer_finished.emit(reply.npc_id, text, true)
