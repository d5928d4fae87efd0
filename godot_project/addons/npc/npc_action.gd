class_name NpcAction
extends RefCounted
## What a character does next: a sentence, an address, emoji, and the states of the object there.

## The id, unique in the save.
var action_id: String = ""
## The id of the character's persona.
var npc_id: String = ""
## A sentence for players, such as "Mara is kneading the morning's dough".
var sentence: String = ""
## The address of the place or object where it is done.
var address: String = ""
## One or two emoji; may be empty.
var emoji: String = ""
## Game time of the decision.
var start_s: int = 0
## Game time at which the action ends.
var end_s: int = 0
## The name of the object's action; may be empty.
var object_action: String = ""
## The state that the object takes on arrival; empty for no change.
var object_state: String = ""
## The state that the object takes at the end; empty for no change.
var object_state_after: String = ""
## What decided: "model", "policy" or "instinct", or "routine" without a server.
var source: String = ""
## What others see once the character has arrived, without its name, such as "is kneading dough".
var seen_as: String = ""
## With whom the character talks during the action: ids of characters and names of players.
var talks_with: PackedStringArray = []


## Makes an action from an Action message.
static func from_message(message: Dictionary) -> NpcAction:
	var action := NpcAction.new()
	action.action_id = message.get("action_id", "")
	action.npc_id = message.get("npc_id", "")
	action.sentence = message.get("sentence", "")
	action.address = message.get("address", "")
	action.emoji = message.get("emoji", "")
	action.start_s = message.get("start_s", 0)
	action.end_s = message.get("end_s", 0)
	action.object_action = message.get("object_action", "")
	action.object_state = message.get("object_state", "")
	action.object_state_after = message.get("object_state_after", "")
	action.source = source_name(message.get("source", "") as String)
	action.seen_as = message.get("seen_as", "")
	action.talks_with = PackedStringArray(message.get("talks_with", []) as Array)
	return action


## Returns "model" for "DECISION_SOURCE_MODEL".
static func source_name(value: String) -> String:
	return value.trim_prefix("DECISION_SOURCE_").to_lower()


## Returns what the character does, without the subject: "is kneading the morning's dough".
func predicate() -> String:
	var at := sentence.find(" is ")
	return sentence.substr(at + 1) if at >= 0 else sentence
