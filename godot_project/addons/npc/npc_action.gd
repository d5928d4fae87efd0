class_name NpcAction
extends RefCounted
## What a character does next: a sentence, an address, emoji, and what becomes of the object there.

## Unique in the save.
var action_id: String = ""
## Id of the character's persona.
var npc_id: String = ""
## For people: "Mara is kneading the morning's dough".
var sentence: String = ""
## Where it is done: a place or an object.
var address: String = ""
## One or two emoji; may be empty.
var emoji: String = ""
## Game time it was decided.
var start_s: int = 0
## Game time at or after which it is over.
var end_s: int = 0
## Which of the object's actions is done; may be empty.
var object_action: String = ""
## State the object takes on arrival; empty for no change.
var object_state: String = ""
## State the object takes at the end; empty for no change.
var object_state_after: String = ""
## Who decided: "model", "policy" or "instinct".
var source: String = ""


static func from_message(message: Dictionary) -> NpcAction:
	var action := NpcAction.new()
	action.action_id = str(message.get("action_id", ""))
	action.npc_id = str(message.get("npc_id", ""))
	action.sentence = str(message.get("sentence", ""))
	action.address = str(message.get("address", ""))
	action.emoji = str(message.get("emoji", ""))
	action.start_s = int(str(message.get("start_s", 0)))
	action.end_s = int(str(message.get("end_s", 0)))
	action.object_action = str(message.get("object_action", ""))
	action.object_state = str(message.get("object_state", ""))
	action.object_state_after = str(message.get("object_state_after", ""))
	action.source = source_name(message.get("source", ""))
	return action


## "DECISION_SOURCE_MODEL" as "model".
static func source_name(value: Variant) -> String:
	return str(value).trim_prefix("DECISION_SOURCE_").to_lower()


## What others see, without the subject: "is kneading the morning's dough".
func predicate() -> String:
	var at := sentence.find(" is ")
	return sentence.substr(at + 1) if at >= 0 else sentence
