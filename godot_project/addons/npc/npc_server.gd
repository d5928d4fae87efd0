class_name NpcServerNode
extends Node
## Runs the minds of the game's characters, as the autoload [b]NpcServer[/b]. It starts the server, connects, and plays
## one save.
##
## Call [method start] once. All other methods may be called at any time: what they send is kept until the server is ready. Events not
## stored when a connection broke are sent again. No method blocks. [NpcRequest] and [NpcReply] can be awaited; signals report the rest.

## Emitted when the save is open and play begins.
signal connected
## Emitted when the connection is lost. The addon connects again by itself, and no event is lost.
signal disconnected(reason: String)
## Emitted for every failure. If [method NpcError.is_temporary] returns [code]true[/code], the addon tries again by
## itself. Otherwise its cause must be fixed. If play has stopped, call [method start] afterwards.
signal failed(error: NpcError)
## Emitted when the slot holds the save of another game or town. The save stays as it is. Call [method start] with
## another slot, or [method new_game] to start over in this one.
signal save_refused(slot: String, error: NpcError)
## Emitted when persona or town files differ from those of the save. [method apply_persona_changes] applies them.
signal files_changed(changes: PackedStringArray)
## Emitted when changed files have been applied. [member npc_ids] is up to date.
signal files_applied(changes: PackedStringArray)
## Emitted when a character begins another action.
signal action_received(npc_id: String, action: NpcAction)
## Emitted when a mind asks how far some places are. [NpcAgent] and [NpcAbsent] answer it.
signal path_queried(npc_id: String, query_id: String, addresses: PackedStringArray)
## Emitted when a character says something aloud. If [param partial] is [code]true[/code], [param text] holds the words
## so far.
signal speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool)
## Emitted when a line is to be shown, as in a speech bubble. A talk between characters may arrive as a whole. Its lines
## come here one after another, each once the one before could be read, until the speakers have gone apart. All others
## come as they arrive.
signal line_shown(npc_id: String, text: String, to: PackedStringArray, partial: bool)
## Emitted when a character comes up to a player and begins to talk. [param text] is its first line, and [param about] why
## it comes; empty for a mere greeting. The player answers with [method say].
signal player_approached(npc_id: String, player: String, text: String, about: String)
## Emitted when a character thinks something. Meant for thought bubbles and debugging.
signal thought_received(npc_id: String, text: String, source: String)
## Emitted when a character's mood changes, or one of its needs by a whole point.
signal feelings_received(npc_id: String, feelings: NpcFeelings)
## Emitted when a character chooses an action of the game, such as "accept_quest". Answer with
## [method report_game_action].
signal game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary)
## Emitted when the server has a message for the player or the developer. [param level] is "info", "warning" or "error".
signal notice_received(level: String, reason: String, message: String)
## Emitted when all events up to [param seq] are on the server's disk.
signal acknowledged(seq: int)
## Emitted in lockstep when every mind has decided for the clock event [param seq].
signal settled(seq: int, next_wake_s: int)
## Emitted when the game has been saved.
signal saved(slot: String)
## Emitted when a slot has been loaded or a new game has begun. Put the world back to [member game_time_s].
signal loaded(slot: String)
## Emitted when more of an answer has arrived; [param text] holds all words so far. See also [signal NpcReply.updated].
signal answer_updated(npc_id: String, text: String)
## Emitted when an answer is complete. [param ended] is [code]true[/code] if the character has ended the conversation.
signal answer_finished(npc_id: String, text: String, ended: bool)

## The state of the connection and of play.
enum State {
	## [method start] was not called, or the addon has given up.
	STOPPED,
	## The server is starting.
	STARTING,
	## The addon is connecting to the server.
	CONNECTING,
	## The save is being opened.
	OPENING,
	## The save is open.
	PLAYING,
	## The connection was lost. The addon waits before it tries again.
	WAITING,
	## The server runs, and no save is open: only [method list_saves] and [method delete_save] were called.
	IDLE,
}

## Game time, in seconds since 1970-01-01 on the game's calendar. Earlier dates are negative; the years 1 to 9999 can be
## played. The save brings it (see [method has_game_time]).
var game_time_s: float:
	get:
		return _session.clock.now_s
	set(value):
		_session.clock.now_s = value
## Game seconds per second, while [member auto_clock] is [code]true[/code]. The project setting
## [code]npc/time/scale[/code] sets the initial value.
var time_scale: float:
	get:
		return _session.clock.scale
	set(value):
		_session.clock.scale = value
## If [code]false[/code], the game moves the clock itself with [method advance_clock].
var auto_clock: bool:
	get:
		return _session.clock.runs
	set(value):
		_session.clock.runs = value
## If [code]true[/code], the clock also runs while [member SceneTree.paused] is [code]true[/code]. The project setting
## [code]npc/time/runs_while_paused[/code] sets the initial value.
var clock_runs_while_paused: bool:
	get:
		return _session.clock.runs_while_paused
	set(value):
		_session.clock.runs_while_paused = value
## Game seconds between two clock events sent to the server.
var clock_interval_s: float:
	get:
		return _session.clock.interval_s
	set(value):
		_session.clock.interval_s = value
## Pixels per metre of a 2D world. In 3D a unit is a metre.
var pixels_per_metre: float = 32.0
## How many characters of a line a player reads in a second (see [signal line_shown]). If 0, each line is shown as it
## arrives.
var reading_speed: float:
	get:
		return _lines.reading_speed
	set(value):
		_lines.reading_speed = value
## A talk ends when the player's body, in the group [constant NpcAgent.PLAYER_GROUP], gets further away than this many metres.
## With 0 it does not. The project setting [code]npc/talk/distance_m[/code] sets the initial value.
var talk_distance_m: float:
	get:
		return _players.distance_m
	set(value):
		_players.distance_m = value
## Seconds without an acknowledgement after which the server counts as lost.
var ack_timeout_s: float = 30.0
## The ids of the characters in the open save.
var npc_ids: PackedStringArray:
	get:
		return _session.saves.npc_ids
	set(value):
		_session.saves.npc_ids = value
## The slot of the open save.
var slot: String:
	get:
		return _session.saves.slot
## The name of the server's language model. Empty without one; instinct then decides everything.
var model: String:
	get:
		return _session.saves.model
## How often each source has decided so far: "model" is the language model, "policy" a habit learned from it, "chosen" a
## line remembered or written before, "instinct" rules, and "routine" the persona file, without a server.
var decisions: Dictionary[String, int] = {"model": 0, "chosen": 0, "policy": 0, "instinct": 0}
## Microseconds that the addon's connection took in the last frame.
var frame_cost_usec: int = 0
## The state of the connection and of play.
var state: State:
	get:
		return _session.get_state()
## Acts for characters without an [NpcAgent] in the tree. See [member NpcAbsent.enabled].
var absent := NpcAbsent.new()

var _session := NpcSession.new(self)
var _lines := NpcLines.new()
var _players := NpcPlayers.new(self)
var _log: NpcPlayLog = _session.play.log
## Adds, edits and deletes what characters remember.
@onready var memories := NpcMemories.new(self, _session)
## Keeps characters from speaking, or from taking notice, for a scripted scene.
@onready var restraints := NpcRestraints.new(self, _log)


## Returns the autoload, or [code]null[/code]. For scripts that must compile before the plugin is enabled.
static func find(node: Node) -> NpcServerNode:
	return node.get_tree().root.get_node_or_null(^"NpcServer") as NpcServerNode if node.is_inside_tree() else null


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	tree_exiting.connect(stop)
	add_child(absent)
	add_child(NpcPanelHost.new(self, _session))
	_lines.shown.connect(line_shown.emit)
	speech_received.connect(_on_speech_received)
	loaded.connect(_on_loaded)


func _process(delta: float) -> void:
	_session.run_frame(delta)
	if not get_tree().paused:
		_lines.step(delta)
		_players.step(delta)


## Starts the server if the project settings say so, connects, and opens the save. Creates the save if there is none.
## Arguments that are not empty override the project settings. Does nothing if the same slot is already being played.
func start(address: String = "", token: String = "", save_slot: String = "") -> void:
	_session.start(address, token, save_slot if not save_slot.is_empty() else NpcSettings.get_text(NpcSettings.SLOT))


## Ends the session, and the server if the game started it. The server keeps what was not saved, and the next start
## continues from there.
func stop() -> void:
	_session.stop()
	absent.forget()
	_on_loaded("")


## Returns [code]true[/code] while the save is open and connected.
func is_playing() -> bool:
	return state == State.PLAYING


## Returns [code]true[/code] while there is no server, so that everybody follows the routine of the persona file and only greets.
## Unless a server was lost, what the game reports then is not kept.
func is_without_minds() -> bool:
	return _session.routines.is_on


## Returns the process id of the server that the game started, or -1.
func get_server_pid() -> int:
	return _session.link.get_server_pid()


## Returns [code]true[/code] once [member game_time_s] is the time of the save.
func has_game_time() -> bool:
	return _session.clock.is_known


## Returns the current action of a character; [code]null[/code] before its first, and after one that failed.
func get_action(npc_id: String) -> NpcAction:
	return _session.minds.actions.get(npc_id)


## Returns the last feelings of a character, or [code]null[/code] before the first.
func get_feelings(npc_id: String) -> NpcFeelings:
	return _session.minds.feelings.get(npc_id)


# ---- what the game reports


## Reports that a character noticed something. [param kind] is "person", "object", "speech", "event" or "place". Returns
## the event's number. For a person who walks, [param on_the_way_to] is the address of the target. The character then
## sees the person on the way there, whatever [param text] says. If the subject is a player, [param player] is "free",
## "busy" or "gone". Of an "event" by a player, [param text] says what the player did.
func perceive(
	npc_id: String,
	kind: String,
	subject: String,
	text: String,
	address: String,
	distance_m: float = 0.0,
	on_the_way_to: String = "",
	player: String = ""
) -> int:
	var perception := {"npc_id": npc_id, "kind": "PERCEPTION_KIND_" + kind.to_upper(), "subject": subject, "text": text}
	perception.merge({"address": address, "distance_m": distance_m, "at_s": floori(game_time_s), "on_the_way_to": on_the_way_to})
	if not player.is_empty():
		perception["player"] = "PLAYER_PRESENCE_" + player.to_upper()
	return _log.add({"perception": perception})


## Reports that a player did something at a global position, to all characters who see it. [param text] says what, without
## the name, such as "takes the bread from the counter". [param where] is a [Vector2], or a [Vector3] in 3D. Returns how
## many characters saw it.
func player_did(player: String, text: String, where: Variant) -> int:
	return _players.tell_deed(player, text, where)


## Sets whether a player must not be spoken to, such as in a menu or a cutscene. Nobody comes up to a busy player.
func set_player_busy(player: String, busy: bool) -> void:
	_players.set_busy(player, busy)


## Returns whether a player is free to talk.
func is_player_free(player: String) -> bool:
	return _players.is_free(player)


## Reports how an action goes. [param status] is "arrived", "done" or "failed". A failed one has a reason, such as "the
## door is locked", and its kind in [param why]. The minds decide by [param why].
func report_outcome(
	npc_id: String, action_id: String, status: String, address: String, reason: String = "", why := NpcRules.Why.UNSPECIFIED
) -> int:
	var outcome := {"npc_id": npc_id, "action_id": action_id, "status": "OUTCOME_STATUS_" + status.to_upper()}
	outcome.merge({"address": address, "reason": reason, "reason_code": "OUTCOME_REASON_" + str(NpcRules.Why.find_key(why))})
	if status != "arrived":
		_session.minds.drop_action(npc_id, action_id)
	return _log.add({"outcome": outcome})


## Reports that an object has another state. [param by] is a character's id or a player's name.
func report_object(address: String, new_state: String, by: String = "") -> int:
	return _log.add({"object_change": {"address": address, "state": new_state, "by": by}})


## Reports whether an action from [signal game_action_received] happened. If not, [param reason] says why in a phrase
## that the character remembers.
func report_game_action(npc_id: String, call_id: String, happened: bool, reason: String = "") -> int:
	return _log.add({"game_action_result": {"npc_id": npc_id, "call_id": call_id, "happened": happened, "reason": reason}})


## Reports where a body is, apart from any action. [param player_distance_m] is negative if no player is near.
func report_whereabouts(npc_id: String, address: String, player_distance_m: float = -1.0) -> int:
	return _log.add({"whereabouts": {"npc_id": npc_id, "address": address, "player_distance_m": player_distance_m}})


## Answers [signal path_queried]. Each entry of [param reaches] is [code]{"address", "reachable", "travel_s" (game
## seconds), "free"}[/code].
func answer_path_query(npc_id: String, query_id: String, reaches: Array[Dictionary]) -> int:
	return _log.add({"path_result": {"npc_id": npc_id, "query_id": query_id, "reaches": reaches}})


## Moves the clock. With [param lockstep], wait for [signal settled] before you move it again. Returns the event's
## number.
func advance_clock(now_s: int, lockstep: bool = false) -> int:
	return _session.advance_clock(now_s, lockstep)


# ---- saving


## Saves the session to a slot, once all earlier events are stored. Emits [signal saved].
func save_game(to_slot: String = "") -> NpcRequest:
	return _session.save_game(to_slot)


## Replaces the session by a slot. Thoughts and events of the time before are dropped. Emits [signal loaded].
func load_game(from_slot: String = "") -> NpcRequest:
	return _session.load_game(from_slot)


## Starts over in a slot, from the current files. The old save is replaced when the new one is complete. Emits [signal loaded].
func new_game(in_slot: String = "") -> NpcRequest:
	return _session.new_game(in_slot)


## Lists the slots, the newest first. [code]response["saves"][/code] holds a dictionary with the fields of SaveInfo for each. Before
## [method start], as in a menu, it starts the server only.
func list_saves() -> NpcRequest:
	return _session.manage_saves("ListSaves", {})


## Deletes a slot that is not being played. It may be called before [method start].
func delete_save(from_slot: String) -> NpcRequest:
	return _session.manage_saves("DeleteSave", {"slot": from_slot})


## Applies the current persona and town files. All memories stay. Emits [signal files_applied].
func apply_persona_changes() -> NpcRequest:
	return _session.apply_files()


# ---- talking and asking


## Returns [code]true[/code] while lines of a character's talk with others are still shown (see [signal line_shown]).
func is_shown_talking(npc_id: String) -> bool:
	return _lines.is_talking(npc_id)


## Says something to a character. [param speaker] is the name by which it remembers the person. The reply grows as the
## character speaks.
func say(npc_id: String, speaker: String, text: String) -> NpcReply:
	var agent := NpcAgents.by_id(npc_id)
	if agent != null:
		agent.turn_to(speaker)
	var reply := _session.ask("Say", {"npc_id": npc_id, "speaker": speaker, "text": text})
	_players.begin_talk(npc_id, speaker, reply)
	return reply


## Ends a talk, such as when the player closes the dialogue. The character goes on with its day. If the player walks off, the
## addon does this (see [member talk_distance_m]). The reply has no text.
func end_talk(npc_id: String, speaker: String) -> NpcReply:
	_players.end_talk(npc_id, speaker)
	return _session.tell("EndTalk", {"npc_id": npc_id, "speaker": speaker})


## Asks a character a question that leaves no memory.
func interview(npc_id: String, question: String) -> NpcReply:
	return _session.ask("Interview", {"npc_id": npc_id, "question": question})


## Speaks as a character's inner voice, which it takes as its own intention. The reply has no text.
func whisper(npc_id: String, text: String) -> NpcReply:
	return _session.tell("Whisper", {"npc_id": npc_id, "text": text})


## Removes the last line of a person to a character, the answer, and all memories of both.
func undo_last_line(npc_id: String, speaker: String) -> NpcReply:
	return _session.tell("UndoLastLine", {"npc_id": npc_id, "speaker": speaker})


## Calls any other unary method of npc.proto, such as "MindService/GetMind". The session's id is added if the request
## has that field.
func call_server(method: String, fields: Dictionary) -> NpcRequest:
	return _session.call_server(method, fields)


func _on_loaded(_slot: String) -> void:
	_lines.forget()
	_players.forget()
	memories.forget()


func _on_speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	_lines.take(npc_id, text, to, partial, npc_ids)
