class_name NpcServerNode
extends Node
## The way to the minds, as the autoload NpcServer: starts and watches the server, plays one save, and says what the
## characters do.
##
## Call [method start] once. Everything else may be called at any time: what comes before the server is ready is kept and
## sent then, and what was not stored when a connection broke is sent again. No method waits. Methods that return an
## [NpcRequest] or an [NpcReply] can be awaited; everything else is told in signals.

## The save is open and played.
signal connected
## The connection is lost; the next attempt is under way, nothing is lost.
signal disconnected(reason: String)
## Something failed. When [method NpcError.is_passing], it is tried again by itself; else mend it and call start().
signal failed(error: NpcError)
## The slot holds a save of another game or another town. It is left alone: call start() with another slot, or
## [method new_game] to begin anew in this one.
signal save_refused(slot: String, error: NpcError)
## Persona or town files differ from those of the save. [method apply_persona_changes] takes them over.
signal files_changed(changes: PackedStringArray)
## Changed files were taken over; [member npc_ids] is up to date.
signal files_applied(changes: PackedStringArray)
## A character does something else from now on.
signal action_received(npc_id: String, action: NpcAction)
## A mind asks how far places are; NpcAgent answers.
signal path_queried(npc_id: String, query_id: String, addresses: PackedStringArray)
## A character says something aloud. While [param partial], the words so far.
signal speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool)
## What a character thinks, for bubbles and debugging.
signal thought_received(npc_id: String, text: String, source: String)
## A character does something of the game's own, e.g. "accept_quest". Answer with report_game_action whether it happened.
signal game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary)
## Something the player or the developer should be told; level is "info", "warning" or "error".
signal notice_received(level: String, reason: String, message: String)
## Everything up to this number is on the server's disk.
signal acknowledged(seq: int)
## Lockstep: every mind has decided for the clock with this number.
signal settled(seq: int, next_wake_s: int)
## The game was saved to a slot.
signal saved(slot: String)
## A slot was loaded, or a new game began in it; put the world back to [member game_time_s].
signal loaded(slot: String)
## A piece of an answer: all words so far. The same as [signal NpcReply.updated], for whoever made no request.
signal answer_updated(npc_id: String, text: String)
## A whole answer. [param ended] when the character ended the conversation.
signal answer_finished(npc_id: String, text: String, ended: bool)

enum State { STOPPED, STARTING, CONNECTING, OPENING, PLAYING, WAITING }

## Game time, in seconds since 1970-01-01 on the game's calendar.
var game_time_s: float:
	get:
		return _session.clock.now_s
	set(value):
		_session.clock.now_s = value
## Game seconds in a second, while the clock runs by itself. The project setting npc/time/scale is its default.
var time_scale: float:
	get:
		return _session.clock.scale
	set(value):
		if value < 0.0:
			push_warning("NpcServer.time_scale is %s; the clock cannot run backwards. It stands still now; use 0 or more." % value)
		_session.clock.scale = maxf(value, 0.0)
## False when the game moves its clock itself, with advance_clock().
var auto_clock: bool:
	get:
		return _session.clock.runs
	set(value):
		_session.clock.runs = value
## Game seconds between two clocks sent to the minds.
var clock_interval_s: float:
	get:
		return _session.clock.interval_s
	set(value):
		_session.clock.interval_s = value
## Pixels in a metre of the world.
var pixels_per_metre: float = 32.0
## Seconds without an acknowledgement after which the server counts as lost.
var ack_timeout_s: float = 30.0
## Ids of the characters in the open save.
var npc_ids: PackedStringArray:
	get:
		return _session.saves.npc_ids
	set(value):
		_session.saves.npc_ids = value
## Slot of the open save.
var slot: String:
	get:
		return _session.saves.slot
## How often each decided so far: "model", "policy", "instinct".
var decisions: Dictionary = {"model": 0, "policy": 0, "instinct": 0}
## Microseconds that the addon's link to the server took in the last frame.
var frame_cost_usec: int = 0
## What is going on.
var state: State:
	get:
		return _session.get_state()
## Lives for the people who have no NpcAgent in the tree. Switch it off in a game that moves people without NpcAgent.
var absent := NpcAbsent.new()

var _session := NpcSession.new(self)
var _log: NpcPlayLog:
	get:
		return _session.play.log


## The autoload NpcServer, for scripts that have to compile before the plugin is enabled; null when it is not there.
static func find(node: Node) -> NpcServerNode:
	return node.get_tree().root.get_node_or_null(^"NpcServer") as NpcServerNode if node.is_inside_tree() else null


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	add_child(absent)


func _process(delta: float) -> void:
	_session.run_frame(delta)


func _exit_tree() -> void:
	stop()


## Starts the server if the project settings say so, connects, and opens the save, making it when there is none.
## Arguments that are not empty go before the settings. While the same slot is played already, this does nothing.
func start(address: String = "", token: String = "", save_slot: String = "") -> void:
	_session.start(address, token, save_slot if not save_slot.is_empty() else NpcSettings.text(NpcSettings.SLOT))


## Ends the session and the server that the game started. The server keeps what was not saved; the next start goes on from it.
func stop() -> void:
	_session.stop()
	absent.forget()


## True while actions come and perceptions are stored.
func is_playing() -> bool:
	return state == State.PLAYING


## Process id of the server that the game started; -1 if it did not.
func get_server_pid() -> int:
	return _session.link.get_server_pid()


## What a character was told to do last; null before its first action.
func get_action(npc_id: String) -> NpcAction:
	return _session.actions.get(npc_id)


# ---- what the game tells


## A character noticed something. [param kind]: "person", "object", "speech", "event" or "place". Returns the event's number.
func perceive(npc_id: String, kind: String, subject: String, text: String, address: String, distance_m: float = 0.0) -> int:
	var perception := {"npc_id": npc_id, "kind": "PERCEPTION_KIND_" + kind.to_upper(), "subject": subject, "text": text}
	perception.merge({"address": address, "distance_m": distance_m, "at_s": int(game_time_s)})
	return _log.add({"perception": perception})


## How an action goes on. [param status]: "arrived", "done" or "failed" (then with a reason such as "the door is locked").
## [param why] says what kind of reason it is: the minds go by that, and wait for what is OCCUPIED.
func report_outcome(
	npc_id: String, action_id: String, status: String, address: String, reason: String = "", why := NpcRules.Why.UNSPECIFIED
) -> int:
	var outcome := {"npc_id": npc_id, "action_id": action_id, "status": "OUTCOME_STATUS_" + status.to_upper()}
	outcome.merge({"address": address, "reason": reason, "reason_code": "OUTCOME_REASON_" + str(NpcRules.Why.find_key(why))})
	return _log.add({"outcome": outcome})


## An object got another state. [param by]: a character's id or a player's name.
func report_object(address: String, new_state: String, by: String = "") -> int:
	return _log.add({"object_change": {"address": address, "state": new_state, "by": by}})


## Whether an action of game_action_received happened. [param reason] says why not, as a phrase; the character remembers it.
func report_game_action(npc_id: String, call_id: String, happened: bool, reason: String = "") -> int:
	return _log.add({"game_action_result": {"npc_id": npc_id, "call_id": call_id, "happened": happened, "reason": reason}})


## Where a body is, without an action. [param player_distance_m] is negative when no player is near.
func report_whereabouts(npc_id: String, address: String, player_distance_m: float = -1.0) -> int:
	return _log.add({"whereabouts": {"npc_id": npc_id, "address": address, "player_distance_m": player_distance_m}})


## Answers path_queried. Each reach: {"address", "reachable", "travel_s" (game seconds), "free"}.
func answer_path_query(npc_id: String, query_id: String, reaches: Array[Dictionary]) -> int:
	return _log.add({"path_result": {"npc_id": npc_id, "query_id": query_id, "reaches": reaches}})


## Moves the clock. With [param lockstep] the minds settle before the game goes on, see settled. Returns the event's number.
func advance_clock(now_s: int, lockstep: bool = false) -> int:
	return _session.advance_clock(now_s, lockstep)


# ---- saving


## Writes what the minds hold to a slot, after all that was told before is stored; then saved.
func save_game(to_slot: String = "") -> NpcRequest:
	return _session.save_game(to_slot)


## Replaces what the minds hold by a slot; thoughts of the abandoned time are thrown away; then loaded.
func load_game(from_slot: String = "") -> NpcRequest:
	return _session.load_game(from_slot)


## Begins anew in a slot, from the persona and town files as they are now; then loaded. What the slot held is replaced once
## the new save is made; what was played and not saved is dropped.
func new_game(in_slot: String = "") -> NpcRequest:
	return _session.new_game(in_slot)


## Takes the persona and town files over as they are now; what was lived stays. Then files_applied.
func apply_persona_changes() -> NpcRequest:
	return _session.apply_files()


# ---- talking and asking


## Says something to a character as a named person. The reply fills as the character speaks.
func say(npc_id: String, speaker: String, text: String) -> NpcReply:
	return _session.ask("Say", {"npc_id": npc_id, "speaker": speaker, "text": text})


## Asks a character a question that leaves no memory.
func interview(npc_id: String, question: String) -> NpcReply:
	return _session.ask("Interview", {"npc_id": npc_id, "question": question})


## Speaks as a character's inner voice, which it takes as its own intention. The reply has no text.
func whisper(npc_id: String, text: String) -> NpcReply:
	return _session.tell("Whisper", {"npc_id": npc_id, "text": text})


## Takes the last line of a person to a character back, with the answer and all that was remembered of both.
func undo_last_line(npc_id: String, speaker: String) -> NpcReply:
	return _session.tell("UndoLastLine", {"npc_id": npc_id, "speaker": speaker})


## Calls any other unary method of npc.proto, e.g. "MindService/GetMind"; the session's id is added where the method takes one.
func call_server(method: String, fields: Dictionary) -> NpcRequest:
	return _session.call_server(method, fields)
