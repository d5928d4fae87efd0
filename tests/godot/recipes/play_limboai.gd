extends Node
## The tree takes what the mind decides, moves Piet there, and does it until the mind decides on something else.


func play(game: RecipePlay) -> void:
	var piet: RecipePerson = game.recipe.get_node(^"Inn/Piet")
	var agent := piet.get_agent()
	game.said["trees"] = piet.get_child_count()
	await game.until("Piet is on the way", func() -> bool: return agent.doing == NpcAgent.Doing.WALKING)
	game.said["way"] = agent.get_way()
	await game.until("Piet is at the well", game.has_arrived.bind("piet", "fernhill:inn:yard:well"))
	NpcServer.time_scale = 180.0  # half an hour, until the table, takes ten seconds
	game.said["does"] = agent.get_predicate()
	game.said["at_the_well"] = piet.global_position.distance_to(agent.get_spot_of("fernhill:inn:yard:well") as Vector2)
	await game.until("Piet wipes the table", game.has_arrived.bind("piet", "fernhill:inn:taproom:table"))
	# What the tree finds impossible, the mind hears of and decides again.
	var table := NpcTask.new(agent)
	table.fail("the table wobbles")
	game.said["over"] = not table.is_current()
	await game.until("he goes on", func() -> bool: return agent.action != null)
	var memories := await game.get_memories("piet")
	game.said["remembers"] = "the table wobbles" in memories
