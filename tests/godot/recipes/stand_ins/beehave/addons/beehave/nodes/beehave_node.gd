class_name BeehaveNode
extends Node
## A stand-in for Beehave's class, with the public methods that the recipe uses. Written from its documentation.

enum { SUCCESS, FAILURE, RUNNING }


func tick(_actor: Node, _blackboard: Blackboard) -> int:
	return SUCCESS


func before_run(_actor: Node, _blackboard: Blackboard) -> void:
	pass
