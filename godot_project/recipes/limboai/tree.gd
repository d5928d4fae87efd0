## Makes the tree that moves a person, and the player that runs it. It loads only where LimboAI is installed. In a game, draw
## the tree in LimboAI's editor and add the three tasks to it.

## Adds the tree to a body.
static func add_to(body: RecipePerson) -> void:
	var live := BTSequence.new()
	for task: String in ["take_task", "walk_there", "do_it"] as Array[String]:
		live.add_child((load("res://recipes/limboai/%s.gd" % task) as GDScript).new() as BTTask)
	var tree := BehaviorTree.new()
	tree.set_root_task(live)
	var player := BTPlayer.new()
	player.behavior_tree = tree
	player.update_mode = BTPlayer.PHYSICS
	player.set_scene_root_hint(body)
	body.add_child(player)
