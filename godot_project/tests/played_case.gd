class_name PlayedCase
extends NpcTestCase
## Base of the cases that play the demo's game as a player does: with keys and clicks, and the real server.

var game: DemoGame


func begin(slot: String, fresh: bool) -> void:
	Engine.max_fps = 60  # more frames would take the processor from the server
	game = (load("res://demo/play/play.tscn") as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(game)
	await let_frames_pass(2)
	game.start(slot, fresh, "Robin")
	check(await until(func() -> bool: return game.is_started), "It never began.")
	await rest_is_over()


## Waits until the player is awake.
func rest_is_over() -> void:
	check(await until(func() -> bool: return not game.rest.is_resting()), "The morning never came.")


## Ends the game as quitting does.
func leave() -> void:
	game.queue_free()
	await let_frames_pass(2)
	NpcServer.stop()
	await let_frames_pass(2)


## Clicks on a position of the world.
func click(at: Vector2) -> void:
	for is_down: bool in [true, false] as Array[bool]:
		var button := InputEventMouseButton.new()
		button.button_index = MOUSE_BUTTON_LEFT
		button.position = game.avatar.get_canvas_transform() * at
		button.pressed = is_down
		get_viewport().push_input(button, true)
	await let_frames_pass(1)


## Stands beside somebody, without the walk, or nearer where somebody or something else is nearest.
func go_to(npc_id: String) -> void:
	game.avatar.put(get_place_beside(npc_id))
	await let_steps_pass(3)
	game.reach.look()
	if game.reach.person != game.town.get_person(npc_id):
		game.avatar.put(game.town.get_person(npc_id).global_position + Vector2(8, 6))
		await let_steps_pass(3)


## Returns where one can stand beside somebody.
func get_place_beside(npc_id: String) -> Vector2:
	var at := game.town.get_person(npc_id).global_position + Vector2(20, 0)
	return NavigationServer2D.map_get_closest_point(game.avatar.get_world_2d().navigation_map, at)


## Begins a talk with somebody, wherever they are.
func talk_to(npc_id: String) -> void:
	for attempt: int in 20:
		await go_to(npc_id)
		game.reach.look()
		if game.reach.person != null and game.reach.person.get_agent().persona_id == npc_id:
			await press(KEY_E)
		if game.talk.is_open():
			return
	check(false, "No talk with %s: the prompt is '%s'." % [npc_id, game.reach.prompt])


## Chooses a suggested line by its number key, and waits for the answer.
func choose(line: String) -> void:
	var at := find_suggestion(line)
	if at >= 0:
		await press((KEY_1 + at) as Key)
		await answered()


## Returns where a line is among those that are suggested. If it is not, the case fails, and -1 is returned.
func find_suggestion(line: String) -> int:
	var lines := game.talk.panel.choices.choices.map(func(choice: DemoChoice) -> String: return choice.line)
	check(line in lines, "'%s' is not suggested: %s" % [line, lines])
	return lines.find(line)


func answered() -> void:
	var npc_id := game.talk.person.get_agent().persona_id
	check(await until(func() -> bool: return not game.talk.is_waiting_for(npc_id)), "%s does not answer." % npc_id)
	await let_frames_pass(5)


func type(text: String) -> void:
	for letter: String in text:
		type_letter(letter)
	await press(KEY_ENTER)


func type_letter(letter: String) -> void:
	var key := InputEventKey.new()
	key.unicode = letter.unicode_at(0)
	key.pressed = true
	get_viewport().push_input(key)


## Returns the texts of what somebody remembers about some words.
func get_memories(npc_id: String, words: String) -> PackedStringArray:
	var asked := NpcServer.call_server("MindService/SearchMemories", {"npc_id": npc_id, "query": words, "limit": 30})
	await asked.done()
	var found: PackedStringArray = []
	for scored: Dictionary in asked.response.get("memories", []) as Array:
		found.append(str((scored["memory"] as Dictionary)["text"]))
	return found
