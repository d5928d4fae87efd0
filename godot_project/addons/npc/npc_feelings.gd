class_name NpcFeelings
extends RefCounted
## How a character feels: its mood, and how well its needs are met.

## The id of the character's persona.
var npc_id: String = ""
## The mood: "neutral", "happy", "sad", "angry", "afraid", "surprised" or "disgusted".
var mood: String = "neutral"
## The strength of the mood, from 0 to 10. It fades over game hours.
var mood_strength: float = 0.0
## How well each need is met, from 0 (empty) to 10 (full): "food", "rest", "company", "fun" and "health".
var needs: Dictionary[String, float] = {}
## Game time of this state.
var at_s: int = 0


## Makes the feelings from a Feelings message.
static func from_message(message: Dictionary) -> NpcFeelings:
	var feelings := NpcFeelings.new()
	feelings.npc_id = message.get("npc_id", "")
	feelings.at_s = message.get("at_s", 0)
	var felt: Dictionary = message.get("mood", {})
	feelings.mood = str(felt.get("emotion", "EMOTION_NEUTRAL")).trim_prefix("EMOTION_").to_lower()
	feelings.mood_strength = felt.get("strength", 0.0)
	var met: Dictionary = message.get("needs", {})
	for need: String in ["food", "rest", "company", "fun", "health"]:
		feelings.needs[need] = met.get(need, 0.0)
	return feelings


## Returns the need that is met least, such as "food".
func get_lowest_need() -> String:
	var lowest := "food"
	for need in needs:
		if needs[need] < needs[lowest]:
			lowest = need
	return lowest
