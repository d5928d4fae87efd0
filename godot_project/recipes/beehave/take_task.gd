extends ActionLeaf
## Takes what the mind has decided on. Fails while it has decided on nothing.


func tick(actor: Node, blackboard: Blackboard) -> int:
	var agent: NpcAgent = (actor as RecipePerson).get_agent()
	if agent.action == null:
		return FAILURE
	var task := NpcTask.new(agent)
	if not task.is_current():
		return FAILURE
	blackboard.set_value("task", task)
	return SUCCESS
