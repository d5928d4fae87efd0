class_name DemoIncidents
extends RefCounted
## What goes wrong with a thing, by the town file and the seed: food burns, a refrigerator runs empty.

var _address: String
## Each: action, becomes, and chance or every.
var _rules: Array
var _seed: int
## How often each action was done.
var _done: Dictionary = {}


func _init(address: String, rules: Array, with_seed: int) -> void:
	_address = address
	_rules = rules
	_seed = with_seed


## The state that the thing is left in when this action goes wrong now; empty when it goes well.
func after(action: String) -> String:
	var times := int(str(_done.get(action, 0))) + 1
	_done[action] = times
	for rule: Dictionary in _rules:
		var every := int(str(rule.get("every", 0)))
		if rule["action"] == action:
			if (every > 0 and times % every == 0) or _chance(action, times) < float(str(rule.get("chance", 0.0))):
				return str(rule["becomes"])
	return ""


## True when a state is one that things go wrong into.
func leads_to(state: String) -> bool:
	return _rules.any(func(rule: Dictionary) -> bool: return rule["becomes"] == state)


## From 0 up to 1; the same in every run with the same seed, whatever else happens in it.
func _chance(action: String, times: int) -> float:
	var text := "\u001f".join([str(_seed), _address, action, str(times)])
	return text.sha256_buffer().decode_u32(0) / 4294967296.0
