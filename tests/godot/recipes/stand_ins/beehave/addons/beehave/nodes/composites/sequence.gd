class_name SequenceComposite
extends BeehaveNode
## A stand-in for Beehave's class: it ticks its children one after another, and goes on with the one that runs.

var _at: int = 0
var _runs: bool = false


func tick(actor: Node, blackboard: Blackboard) -> int:
	while _at < get_child_count():
		var child: BeehaveNode = get_child(_at)
		if not _runs:
			child.before_run(actor, blackboard)
		var status := child.tick(actor, blackboard)
		_runs = status == RUNNING
		if _runs:
			return RUNNING
		_at += 1
		if status == FAILURE:
			_at = 0
			return FAILURE
	_at = 0
	return SUCCESS
