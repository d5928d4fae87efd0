@tool
extends BTAction
## Does the task until the mind decides on something else. Here a game plays its animations.

var _task: NpcTask = null


func _generate_name() -> String:
	return "Do it"


func _enter() -> void:
	_task = agent.get_meta(&"task")


func _tick(_delta: float) -> Status:
	if not _task.is_current():
		return SUCCESS
	return RUNNING if _task.arrive() else FAILURE
