class_name NpcReply
extends NpcRequest
## The answer of a character to a line. It grows while the character speaks.
##
## [codeblock]
## var reply := NpcServer.say("mara_voss", "Robin", "Good morning!")
## reply.updated.connect(func(text: String) -> void: bubble.text = text)
## if await reply.done():
##     print(reply.text, reply.actions)
## [/codeblock]

## Emitted when more words have arrived. [param so_far] holds all words until now.
signal updated(so_far: String)

## The id of the character.
var npc_id: String = ""
## The answer: the words so far, and the whole text when it is finished.
var text: String = ""
## What the character does for the player with this answer. Each entry has "call_id", "name" and "arguments".
## [signal NpcServerNode.game_action_received] is emitted for each, too.
var actions: Array[Dictionary] = []
## If [code]true[/code], the character has ended the conversation with this answer.
var ended: bool = false
## What decided: "model", "chosen" or "instinct" (see [member NpcServer.decisions]).
var source: String = ""


## For internal use. Takes a message of the answer's stream. Returns [code]true[/code] if it was the last.
func take(message: Dictionary) -> bool:
	if not message.get("done", false):
		text += str(message.get("delta", ""))
		updated.emit(text)
		return false
	text = str(message.get("full_text", text))
	ended = bool(message.get("ended", false))
	source = NpcAction.source_name(message.get("source", "") as String)
	for call: Variant in message.get("actions", []) as Array:
		actions.append(read_action(call as Dictionary))
	complete(message)
	return true


## For internal use. Returns the fields of a GameAction, with its arguments parsed.
static func read_action(message: Dictionary) -> Dictionary:
	var parsed: Variant = JSON.parse_string(str(message.get("arguments_json", "{}")))
	var arguments: Dictionary = parsed if parsed is Dictionary else {}
	return {"call_id": str(message.get("call_id", "")), "name": str(message.get("name", "")), "arguments": arguments}
