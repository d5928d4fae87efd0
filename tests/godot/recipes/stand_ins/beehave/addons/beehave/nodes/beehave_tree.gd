class_name BeehaveTree
extends Node
## A stand-in for Beehave's class: it ticks its child in each physics frame. The actor is its parent.

var _blackboard := Blackboard.new()


func _ready() -> void:
	add_child(_blackboard, false, Node.INTERNAL_MODE_BACK)


func _physics_process(_delta: float) -> void:
	(get_child(0) as BeehaveNode).tick(get_parent(), _blackboard)
