@tool
extends BTAction
## Walks to where the task takes place. The tree moves the body; the mind may change its mind on the way.

const SPEED := 140.0

var _task: NpcTask = null


func _generate_name() -> String:
	return "Walk there"


func _enter() -> void:
	_task = agent.get_meta(&"task")
	_task.set_out()


func _tick(_delta: float) -> Status:
	if not _task.is_current():
		return FAILURE
	var goal: Variant = _task.get_goal()
	if goal == null:
		_task.fail("there is no such place here")
		return FAILURE
	return SUCCESS if (agent as RecipePerson).walk_to(goal as Vector2, SPEED) else RUNNING
