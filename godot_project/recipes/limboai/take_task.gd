@tool
extends BTAction
## Takes what the mind has decided on. Fails while it has decided on nothing.


func _generate_name() -> String:
	return "Take what the mind has decided on"


func _tick(_delta: float) -> Status:
	var mind: NpcAgent = (agent as RecipePerson).get_agent()
	if mind.action == null:
		return FAILURE
	var task := NpcTask.new(mind)
	if not task.is_current():
		return FAILURE
	agent.set_meta(&"task", task)
	return SUCCESS
