extends ActionLeaf
## Does the task until the mind decides on something else. Here a game plays its animations.


func tick(_actor: Node, blackboard: Blackboard) -> int:
	var task: NpcTask = blackboard.get_value("task")
	if not task.is_current():
		return SUCCESS
	return RUNNING if task.arrive() else FAILURE
