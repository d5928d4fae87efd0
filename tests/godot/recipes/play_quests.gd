extends Node
## The player asks for work, fetches the wood, and asks again.

var _changes: Array[String] = []


func play(game: RecipePlay) -> void:
	game.recipe.connect(&"quest_changed", func(what: String) -> void: _changes.append(what))
	await game.until("it plays", NpcServer.is_playing)
	game.said["system"] = str((game.recipe.get("_quests") as Node).get_path())
	await game.until("Gerda is at the counter", game.has_arrived.bind("gerda", "fernhill:inn:taproom:counter"))
	game.said["before"] = await game.recipe.call("say", "What did I do just now?")
	game.said["offer"] = await game.recipe.call("say", "Do you have a quest for me, please?")
	await game.until("the quest is accepted", func() -> bool: return _changes == ["accepted"])
	await game.until("she knows", await _knows(game, "has promised to fetch"))
	await game.recipe.call("fetch_wood")
	await game.until("she knows it is done", await _knows(game, "has fetched"))
	await game.until("she has seen it", await _knows(game, "lays an armful"))
	game.said["after"] = await game.recipe.call("say", "What did I do just now?")
	await game.recipe.call("say", "Do you have a quest for me, please?")
	await game.until("she knows that it is over", await _knows(game, "the quest is done"))
	game.said["memories"] = await game.get_memories("gerda")
	game.said["changes"] = _changes


func _knows(game: RecipePlay, words: String) -> Callable:
	var found := words in await game.get_memories("gerda")
	while not found:
		await get_tree().create_timer(0.2).timeout
		found = words in await game.get_memories("gerda")
	return func() -> bool: return found
