class_name BTPlayer
extends Node
## A stand-in for LimboAI's class: it executes its tree in each physics frame. The agent is its parent.

enum UpdateMode { IDLE, PHYSICS, MANUAL }

const PHYSICS := UpdateMode.PHYSICS

var behavior_tree: BehaviorTree = null
var update_mode: UpdateMode = UpdateMode.PHYSICS


func set_scene_root_hint(_scene_root: Node) -> void:
	pass


func _physics_process(delta: float) -> void:
	var root := behavior_tree.get_root_task()
	root.agent = get_parent()
	root.execute(delta)
