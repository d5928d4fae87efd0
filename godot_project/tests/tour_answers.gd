class_name TourAnswers
extends RefCounted
## Notes of each answer to the player who gave it, how long it took, and what the mind's questions say of why.

## The questions of a mind that end in a line.
const ASKED: Array[String] = ["say", "apt"]
const LOOKED_THROUGH := 20

## The answers so far, for scripts/tour.py.
var all: Array[Dictionary] = []

var _asked_ms: int = 0
var _noted: NpcReply = null
## The newest question of each mind that was looked at.
var _newest: Dictionary[String, int] = {}


## Begins to wait for an answer. Returns [code]false[/code] if nothing was said.
func begin(reply: NpcReply) -> bool:
	_asked_ms = Time.get_ticks_msec()
	return reply != null and reply != _noted


## Notes an answer that is complete. [param is_free] says that no rule foresees the line.
func note(talk: DemoTalk, first_ms: int, is_free: bool) -> void:
	_noted = talk.reply
	var npc_id := _noted.npc_id
	var heard := talk.get_lines(npc_id).filter(func(line: Dictionary) -> bool: return line["kind"] == DemoTalkLog.Kind.YOU)
	var whole_ms := Time.get_ticks_msec() - _asked_ms
	var answer := {
		"to": npc_id,
		"heard": str(heard.back()["text"]) if not heard.is_empty() else "",
		"said": _noted.text,
		"by": _noted.source,
		"is_free": is_free,
		"first_s": (first_ms - _asked_ms) / 1000.0,
		"whole_s": whole_ms / 1000.0,
		"at_s": NpcServer.game_time_s,
	}
	all.append(answer)
	answer["why"] = await _get_why(npc_id)


func _get_why(npc_id: String) -> Array[String]:
	var asked := NpcServer.call_server("MindService/ListQuestions", {"npc_id": npc_id, "page_size": LOOKED_THROUGH})
	await asked.done()
	var why: Array[String] = []
	var since: int = _newest.get(npc_id, 0)
	for question: Dictionary in asked.response.get("questions", []) as Array:
		_newest[npc_id] = maxi(_newest.get(npc_id, 0), question["id"] as int)
		if question["id"] as int > since and question["name"] in ASKED:
			why.push_front(_get_text(question))
	return why


func _get_text(question: Dictionary) -> String:
	var by := str(question["by"]).trim_prefix("ANSWERED_BY_").to_lower()
	var outcome := str(question["outcome"]).trim_prefix("QUESTION_OUTCOME_").to_lower()
	var prompt := question["prompt_tokens"] as int
	var counts := [prompt - (question["cached_tokens"] as int), prompt, question["reply_tokens"], (question["wall_ms"] as float) / 1000.0]
	return "%s by %s, %s: %s %s" % [question["name"], by, outcome, "read %d of %d tokens, wrote %d in %.1f s." % counts, question["reason"]]
