@tool
extends RefCounted
## Where the panel's pages ask: the server of this game, or that of a game which the editor debugs.

## The calls that a panel makes. They only read.
const READS: PackedStringArray = [
	"ListMinds", "ListMemories", "ListQuestions", "SearchMemories", "GetMind", "GetPlan", "GetEvidence", "GetRelations"
]
## The service of these calls.
const SERVICE := "MindService/"


## Calls a method of MindService with the fields of its request. The session's id is added.
func ask(_method: String, _fields: Dictionary) -> NpcRequest:
	return _refused("This source answers nothing.")


## Returns why nothing can be asked now and what to do, or an empty text.
func get_problem() -> String:
	return ""


## Returns what is played, such as "millbrook, qwen3-1.7b".
func get_title() -> String:
	return ""


## Returns a request that has failed by the next frame.
func _refused(words: String) -> NpcRequest:
	var request := NpcRequest.new()
	request.fail.call_deferred(NpcError.make("UNAVAILABLE", "NOT_PLAYING", words))
	return request
