class_name DemoIncidents
extends RefCounted
## What goes wrong with an object, from the town file and the seed: food burns, a refrigerator runs empty.

var _address: String
## Each entry has "action", "becomes", and "chance" or "every".
var _rules: Array[Dictionary]
var _seed: int
## How often each action was done.
var _done: Dictionary[String, int] = {}


func _init(address: String, rules: Array, with_seed: int) -> void:
	_address = address
	_rules.assign(rules)
	_seed = with_seed


## Returns the state in which the object is left if the action goes wrong this time; empty if it goes well.
func get_state_after(action: String) -> String:
	var times: int = _done.get(action, 0) + 1
	_done[action] = times
	for rule: Dictionary in _rules:
		var every: int = rule.get("every", 0)
		if rule["action"] == action:
			if (every > 0 and times % every == 0) or _chance(action, times) < rule.get("chance", 0.0):
				return str(rule["becomes"])
	return ""


## Returns [code]true[/code] if some incident leads to the state.
func leads_to(state: String) -> bool:
	return _rules.any(func(rule: Dictionary) -> bool: return rule["becomes"] == state)


## Returns a number from 0 up to 1. It is the same in every run with the same seed, whatever else happens.
func _chance(action: String, times: int) -> float:
	var text := "\u001f".join([str(_seed), _address, action, str(times)])
	return text.sha256_buffer().decode_u32(0) / 4294967296.0
