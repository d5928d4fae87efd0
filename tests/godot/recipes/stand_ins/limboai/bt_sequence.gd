class_name BTSequence
extends BTTask
## A stand-in for LimboAI's class: it executes its children one after another, and goes on with the one that runs.

var _at: int = 0


func _enter() -> void:
	_at = 0


func _tick(delta: float) -> Status:
	while _at < _children.size():
		var status := _children[_at].execute(delta)
		if status != SUCCESS:
			return status
		_at += 1
	return SUCCESS
