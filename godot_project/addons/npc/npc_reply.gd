class_name NpcReply
extends NpcRequest
## What a character answers to one line, while it is spoken and when it is whole.
##
## [codeblock]
## var reply := NpcServer.say("mara_voss", "Robin", "Good morning!")
## reply.updated.connect(func(text: String) -> void: bubble.text = text)
## if await reply.done():
##     print(reply.text, reply.actions)
## [/codeblock]

## More words came. [param so_far] holds all words until now.
signal updated(so_far: String)

## Who was spoken to.
var npc_id: String = ""
## The answer: so far, and whole once it is finished.
var text: String = ""
## What the character does for the player with this answer. Each has "call_id", "name" and "arguments"; NpcServer emits
## game_action_received for it, too.
var actions: Array[Dictionary] = []
## True when the character ended the conversation with this line.
var ended: bool = false
## Who decided: "model", "policy" or "instinct".
var source: String = ""


## For NpcServer: takes one message of the answer's stream. True when it was the last.
func take(message: Dictionary) -> bool:
	if not message.get("done", false):
		text += str(message.get("delta", ""))
		updated.emit(text)
		return false
	text = str(message.get("full_text", text))
	ended = bool(message.get("ended", false))
	source = NpcAction.source_name(message.get("source", ""))
	for call: Variant in message.get("actions", []) as Array:
		actions.append(action_of(call as Dictionary))
	complete(message)
	return true


## The fields of a GameAction, with its arguments read.
static func action_of(message: Dictionary) -> Dictionary:
	var parsed: Variant = JSON.parse_string(str(message.get("arguments_json", "{}")))
	var arguments: Dictionary = parsed if parsed is Dictionary else {}
	return {"call_id": str(message.get("call_id", "")), "name": str(message.get("name", "")), "arguments": arguments}
