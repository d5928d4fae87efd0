extends ActionLeaf
## Walks to where the task takes place. The tree moves the body; the mind may change its mind on the way.

const SPEED := 140.0


func before_run(_actor: Node, blackboard: Blackboard) -> void:
	(blackboard.get_value("task") as NpcTask).set_out()


func tick(actor: Node, blackboard: Blackboard) -> int:
	var task: NpcTask = blackboard.get_value("task")
	if not task.is_current():
		return FAILURE
	var goal: Variant = task.get_goal()
	if goal == null:
		task.fail("there is no such place here")
		return FAILURE
	return SUCCESS if (actor as RecipePerson).walk_to(goal as Vector2, SPEED) else RUNNING
