class_name BTTask
extends RefCounted
## A stand-in for LimboAI's class, with the public methods that the recipe uses. Written from its documentation.

enum Status { FRESH, RUNNING, FAILURE, SUCCESS }

const RUNNING := Status.RUNNING
const FAILURE := Status.FAILURE
const SUCCESS := Status.SUCCESS

var agent: Node = null
var _children: Array[BTTask] = []
var _status := Status.FRESH


func add_child(task: BTTask) -> void:
	_children.append(task)


func execute(delta: float) -> Status:
	if _status != RUNNING:
		for child: BTTask in _children:
			child.agent = agent
		_enter()
	_status = _tick(delta)
	return _status


func _generate_name() -> String:
	return ""


func _enter() -> void:
	pass


func _tick(_delta: float) -> Status:
	return SUCCESS
