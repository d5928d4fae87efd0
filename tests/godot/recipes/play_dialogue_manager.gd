extends Node
## The player picks free talk, types, ends it, and hears the written scene out. Buttons and keys answer for the player.

var _seen: Array[String] = []


func play(game: RecipePlay) -> void:
	var box: RecipeTalkBox = game.recipe.get_node(^"TalkBox")
	game.recipe.connect(&"went_on", func(what: String) -> void: _seen.append(what))
	await game.until("she greets", func() -> bool: return "Sit where you like" in box.get_shown())
	game.said["busy"] = not NpcServer.is_player_free("Robin")
	box.answered.emit(1, "")
	await game.until("the talk is free", box.waits_for_words)
	box.answered.emit(-1, "What is your inn called?")
	await game.until("the mind answers", func() -> bool: return box.waits_for_words() and _seen.size() > 2)
	game.said["free"] = box.get_shown()
	box.answered.emit(-1, "")
	await game.until("a line at run time", func() -> bool: return "written again" in _seen and not box.get_shown().is_empty())
	game.said["run time"] = box.get_shown()
	if OS.get_cmdline_user_args().size() > 1:
		return  # the picture shows this
	box.answered.emit(0, "")
	await game.until("the last line", func() -> bool: return "ale waits" in box.get_shown())
	box.answered.emit(0, "")
	await game.until("the end", func() -> bool: return "the end" in _seen)
	game.said["seen"] = _seen
	game.said["free again"] = NpcServer.is_player_free("Robin")
	await game.recipe.call("remember", "gerda", "Gerda has given Robin the room over the stable.")
	game.said["remembers"] = "room over the stable" in await game.get_memories("gerda")
