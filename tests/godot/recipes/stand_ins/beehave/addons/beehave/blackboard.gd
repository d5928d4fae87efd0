class_name Blackboard
extends Node
## A stand-in for Beehave's class.

var _values: Dictionary = {}


func set_value(key: Variant, value: Variant) -> void:
	_values[key] = value


func get_value(key: Variant, default: Variant = null) -> Variant:
	return _values.get(key, default)
