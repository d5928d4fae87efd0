class_name NpcMinds
extends RefCounted
## What the minds have told: what everybody does and how they feel. Tells it on, each thing once.

## The current action of each character, by its id.
var actions: Dictionary[String, NpcAction] = {}
## The last feelings of each character.
var feelings: Dictionary[String, NpcFeelings] = {}

## The latest conversation that each character began with a player.
var _approaches: Dictionary[String, String] = {}
var _server: NpcServerNode


func _init(server: NpcServerNode) -> void:
	_server = server


## Takes an event of the Play stream. After a lost connection some come again.
func take(kind: String, value: Dictionary) -> void:
	match kind:
		"action":
			take_action(NpcAction.from_message(value))
		"feelings":
			var felt := NpcFeelings.from_message(value)
			feelings[felt.npc_id] = felt
			_server.feelings_received.emit(felt.npc_id, felt)
		"approach" when _approaches.get(value["npc_id"], "") == value["conversation_id"]:
			pass
		_:
			if kind == "approach":
				_approaches[str(value["npc_id"])] = str(value["conversation_id"])
			if kind == "thought" or (kind == "speech" and not value["partial"]):
				_count(NpcAction.source_name(str(value["source"])))
			NpcEvents.emit_event(_server, kind, value)


## Takes what a character does next. After a lost connection it may be what it does already.
func take_action(action: NpcAction) -> void:
	var before: NpcAction = actions.get(action.npc_id)
	if before == null or before.action_id != action.action_id:
		_count(action.source)
	actions[action.npc_id] = action
	_server.action_received.emit(action.npc_id, action)


## Forgets an action that is over.
func drop_action(npc_id: String, action_id: String) -> void:
	if actions.has(npc_id) and actions[npc_id].action_id == action_id:
		actions.erase(npc_id)


## Forgets everything. Called when another save is played.
func forget() -> void:
	actions.clear()
	feelings.clear()
	_approaches.clear()


func _count(source: String) -> void:
	_server.decisions[source] = _server.decisions.get(source, 0) + 1
