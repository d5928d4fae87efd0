extends PlayedCase
## A player walks, talks, buys, is seen stealing, hears of it, saves, undoes it by a load, quits, and goes on.

const BRAM := "bram_oakes"
const SHOP := "alderwick:bakery:bakery_shop"


func run() -> void:
	await begin("played", true)
	await _walk()
	await _talk_and_buy()
	await press(KEY_F5)
	var saved_file := func() -> bool: return FileAccess.file_exists("user://play/played.json")
	check(await until(saved_file), "F5 saves nothing.")
	var saved := _get_state()
	await _steal()
	await _hear_of_it()
	await _undo(saved)
	await leave()
	await begin("played", false)
	check(_get_state() == saved, "It goes on with %s in place of %s." % [_get_state(), saved])
	check(game.journal.has_reached(DemoGuide.BUY), "The journal is lost.")
	await leave()


func _get_state() -> Array:
	return [game.purse.coins, game.purse.get_text(), game.deeds.debts.size()]


## Keys and a click move the body, and a wall stops it.
func _walk() -> void:
	var from := game.avatar.global_position
	hold(KEY_W, true)
	await let_steps_pass(30)
	hold(KEY_W, false)
	await let_steps_pass(2)
	check(game.avatar.global_position.y < from.y - 40.0, "W does not walk up: %s to %s." % [from, game.avatar.global_position])
	var goal := from + Vector2(46, -46)
	await click(goal)
	check(await until(func() -> bool: return not game.avatar.is_walking_to()), "A clicked walk has no end.")
	check(game.avatar.global_position.distance_to(goal) < 12.0, "The walk ended %s from its goal." % (game.avatar.global_position - goal))
	var room := NpcPlace.by_address(SHOP)
	game.avatar.put(room.global_position + room.size / 2.0)
	hold(KEY_W, true)
	await let_steps_pass(90)
	hold(KEY_W, false)
	await let_steps_pass(2)
	check(game.avatar.global_position.y > room.global_position.y, "The body walks through a wall.")


## A click on somebody walks there and begins a talk; a number key says the line.
func _talk_and_buy() -> void:
	var bram := game.town.get_person(BRAM)
	check(await until(func() -> bool: return bram.get_agent().get_place_address() == SHOP), "Bram does not come to his shop.")
	await _look_under_the_roof(bram)
	await click(bram.global_position + Vector2(0, -8))
	check(await until(game.talk.is_open), "A click on Bram begins no talk.")
	if not game.talk.is_open():
		await talk_to(BRAM)
	check(game.talk.person == bram, "The talk is with %s." % game.talk.person.get_first_name())
	var before := game.purse.coins
	await choose("Could I buy one rye loaf, please?")
	check(game.purse.coins == before - 3 and game.purse.get_count("rye loaf") == 1, "Bought: %s" % [_get_state()])
	check(game.journal.has_reached(DemoGuide.TALK) and game.journal.has_reached(DemoGuide.BUY), "The first goals stay open.")
	await type("Thank you, Bram.")
	await answered()
	check(game.talk.panel.get_text().contains("You: Thank you, Bram."), game.talk.panel.get_text())
	await press(KEY_ESCAPE)
	check(not game.talk.is_open() and game.avatar.may_walk, "Esc does not end the talk.")
	var stored := func() -> bool: return NpcServer._log.count_unstored() == 0
	check(await until(stored), "What was sold was not stored.")
	var kept := await get_memories(BRAM, "sell bread")
	check(kept.has("Bram did this for Robin: sell bread, rye loaf, count 1."), "Bram does not remember the sale: %s" % kept)


## The roof over the player opens, others are closed, and no name lies under a panel.
func _look_under_the_roof(bram: DemoPerson) -> void:
	var inside := game.avatar.global_position
	game.avatar.put(DemoTownPlan.get_middle(DemoGame.LANDING) + game.town.get_ground_offset())
	check(await until(func() -> bool: return not bram.visible), "Bram is seen through his roof.")
	check(not game.town.labels.get_label(bram).visible, "Bram's name is seen through his roof.")
	var names := game.town.labels._boxes + game.town.labels._names.get_shown_rects()
	var goals := game.hud._goals_box.get_global_rect()
	check(goals.size.y > 0.0 and not DemoLabels.hits(goals, names), "A name lies under the goals: %s" % [names])
	game.avatar.put(inside)
	check(await until(func() -> bool: return bram.visible), "The roof over the player stays closed.")
	await let_steps_pass(3)


func _steal() -> void:
	var bram := game.town.get_person(BRAM)
	check(await until(func() -> bool: return bram.get_agent().get_place_address() == SHOP), "Bram does not come to his shop.")
	var shelf := NpcObject.by_address(SHOP + ":shelves")
	game.avatar.put(shelf.get_spot() as Vector2)
	check(await until(_is_shelf_in_reach), "The prompt is '%s'." % game.reach.prompt)
	await press(KEY_E)
	check(game.purse.get_count("rye loaf") == 2, "Nothing was taken.")
	check(game.deeds.is_owed(BRAM), "Bram stands there and sees nothing.")
	await get_tree().create_timer(DemoDeeds.SOON_S + 1.0).timeout
	await talk_to(BRAM)
	var coins := game.purse.coins
	await type("Could I buy one honey cake, please?")
	await answered()
	check(game.purse.coins == coins and game.purse.get_count("honey cake") == 0, "Bram sells to a thief.")
	await press(KEY_ESCAPE)


## Not while Bram himself stands at it: then one talks with him.
func _is_shelf_in_reach() -> bool:
	game.reach.look()
	return game.reach.prompt == "Steal a rye loaf (Bram's)"


## The day goes on until Bram has told somebody. The next morning it is in the news sheet.
func _hear_of_it() -> void:
	NpcServer.time_scale = DemoRest.FAST
	var end := NpcServer.game_time_s + 10.0 * 3600.0
	while NpcServer.game_time_s < end and (_find_deed() == null or _find_deed().get_told(BRAM).is_empty()):
		await get_tree().create_timer(3.0).timeout
		await game.hud.news.news.gather(game.town)
	NpcServer.time_scale = DemoHud.SPEEDS["1×"]
	game.rest.pass_until(DemoRest.MORNING_H, "The night passes …")
	check(await until(func() -> bool: return not game.rest.is_resting()), "The night never passed.")
	await press(KEY_N)
	check(game.hud.news.visible and get_tree().paused, "N opens no news sheet.")
	check(await until(func() -> bool: return not game.hud.news._is_reading), "The sheet stays empty.")
	result["news"] = game.hud.news.get_text()
	var deed := _find_deed()
	check(deed != null, "It is no news: %s" % game.hud.news.get_text())
	if deed != null:
		result["knowers"] = deed.told_by.size()
		check(deed.get_sources().has(BRAM), "Bram has not seen it: %s" % deed.told_by)
		check(not deed.get_told(BRAM).is_empty(), "Bram told nobody: %s" % deed.told_by)
	await press(KEY_ESCAPE)
	check(not game.hud.news.visible and not get_tree().paused, "Esc does not close the sheet.")
	await _ask_who_was_told(deed)


## Somebody who was not there says to the player's face what they were told, and by whom.
func _ask_who_was_told(deed: DemoNews.Item) -> void:
	if deed == null:
		return
	for npc_id: String in deed.told_by:
		if deed.told_by[npc_id].is_empty() or game.town.get_person(npc_id).get_bed() != null:
			continue
		await talk_to(npc_id)
		await type(DemoSuggestions.TALK_OF_ME)
		await answered()
		var said := game.talk.panel.get_text()
		result["said"] = said.get_slice(DemoSuggestions.TALK_OF_ME, 1)
		check(said.contains("ou steal a rye loaf"), "%s says nothing of it: %s" % [npc_id, said])
		await press(KEY_ESCAPE)
		return
	check(false, "Nobody who is awake was told.")


func _find_deed() -> DemoNews.Item:
	for item: DemoNews.Item in game.hud.news.news.items:
		if item.text.begins_with("Robin steals a rye loaf"):
			return item
	return null


func _undo(saved: Array) -> void:
	var late := NpcServer.game_time_s
	var back: Array[bool] = [false]
	game.loaded.connect(func(_slot: String) -> void: back[0] = true)
	await press(KEY_F9)
	check(await until(func() -> bool: return back[0]), "F9 loads nothing.")
	check(NpcServer.game_time_s < late - 3600.0, "Time did not go back.")
	check(_get_state() == saved, "It is %s after the load, and was %s." % [_get_state(), saved])
	var kept := await get_memories(BRAM, "Robin steals a rye loaf")
	check(not "\n".join(kept).contains("steals"), "Bram remembers what never happened: %s" % kept)
