class_name BehaviorTree
extends Resource
## A stand-in for LimboAI's class.

var _root: BTTask = null


func set_root_task(task: BTTask) -> void:
	_root = task


func get_root_task() -> BTTask:
	return _root
