extends PlayedCase
## A player does an errand, buys in a shop, follows a rumour to its end, whispers to another candidate, and comes to a party.

const BRAM := "bram_oakes"
const AGNES := "agnes_rook"
const MARCUS := "marcus_penhallow"
const GWEN := "gwen_penhallow"


func run() -> void:
	await begin("stories", true)
	await _do_the_errand()
	await _buy_in_the_shop()
	await _follow_the_rumour()
	await _whisper()
	await _come_to_the_party()
	await leave()


func _do_the_errand() -> void:
	await talk_to(BRAM)
	await type("Is there anything I can help you with?")
	await answered()
	if not game.journal.has_goal(DemoTrade.ERRAND):
		await choose(DemoSuggestions.YES)
	check(game.journal.has_goal(DemoTrade.ERRAND), "Bram sends nobody: " + game.talk.panel.get_text())
	await press(KEY_ESCAPE)
	await talk_to(AGNES)
	await choose(DemoSuggestions.EGGS_PLEASE)
	check(game.purse.get_count("egg") == 6, "Agnes gives %s." % game.purse.get_text())
	await press(KEY_ESCAPE)
	await talk_to(BRAM)
	var coins := game.purse.coins
	await choose(DemoSuggestions.EGGS_HERE)
	check(game.journal.has_reached(DemoTrade.ERRAND), "The errand has no end: " + game.talk.panel.get_text())
	check(game.purse.coins == coins + DemoTrade.REWARD and game.purse.get_count("egg") == 0, "Paid: %d" % game.purse.coins)
	await press(KEY_ESCAPE)
	var kept := ""
	for attempt: int in 40:
		kept = "\n".join(await get_memories(BRAM, "Robin brings six eggs from the farm"))
		if kept.contains("Robin brings Bram Oakes six eggs from the farm"):
			return
		await get_tree().create_timer(0.5).timeout
	check(false, "Bram forgets it: " + kept)


func _buy_in_the_shop() -> void:
	await talk_to(MARCUS)
	await choose("What do you have for sale?")
	check(game.hud.shop.visible and get_tree().paused, "No goods are shown: " + game.talk.panel.get_text())
	var coins := game.purse.coins
	await press(KEY_1)
	check(game.purse.get_count("lantern") == 1 and game.purse.coins == coins - 4, "Bought %s." % game.purse.get_text())
	await press(KEY_ESCAPE)
	check(not game.hud.shop.visible and not get_tree().paused, "Esc does not close the goods.")
	await press(KEY_ESCAPE)


func _follow_the_rumour() -> void:
	var tellers: Array[String] = [BRAM, "dorothea_penhallow", "silas_wetherby"]
	for i: int in tellers.size():
		var npc_id := tellers[i]
		await talk_to(npc_id)
		for attempt: int in 4:
			if game.rumour.heard <= i:
				await type(DemoSuggestions.NEWS)
				await answered()
		check(game.rumour.heard > i, "%s tells nothing: %s" % [npc_id, game.talk.panel.get_text()])
		await press(KEY_ESCAPE)
	var sources := game.journal.entries.map(func(entry: Dictionary) -> String: return entry["from"])
	check("Silas" in sources and "Dorothea" in sources, "The journal does not say who told it: %s" % [sources])
	var coins := game.purse.coins
	game.avatar.put(NpcObject.by_address("alderwick:square:lime_tree:well").get_spot() as Vector2)
	await let_steps_pass(3)
	await press(KEY_E)
	check(game.rumour.is_found and game.purse.coins == coins + DemoRumour.REWARD, "Nothing is in the well: '%s'" % game.reach.prompt)


## The shoulder button of the pad turns words into thoughts.
func _whisper() -> void:
	await talk_to(GWEN)
	await press_pad(JOY_BUTTON_RIGHT_SHOULDER)
	check(game.talk.panel.whispers, "The pad does not begin a whisper.")
	await choose(DemoStories.RUNS)
	check(GWEN in game.stories.candidates, "Gwen does not run: %s" % [game.stories.candidates])
	await press(KEY_ESCAPE)
	var has_it := false
	for attempt: int in 20:
		has_it = has_it or (await get_memories(GWEN, "run for mayor")).has(DemoStories.RUNS)
		await get_tree().create_timer(0.3).timeout
	check(has_it, "Gwen does not have the thought.")
	await press(KEY_N)
	check(game.hud.news.get_text().begins_with("For mayor: Hester Vane, Gwen Penhallow"), game.hud.news.get_text())
	await press(KEY_ESCAPE)


func _come_to_the_party() -> void:
	NpcServer.game_time_s = DemoStories.PARTY_FROM_S + 60.0
	var jetty := NpcPlace.by_address(DemoStories.PARTY_PLACE)
	game.avatar.put(jetty.global_position + jetty.size / 2.0)
	check(await until(func() -> bool: return game.journal.has_reached(DemoStories.PARTY)), "The party is not noticed.")
	result["guests"] = game.stories.guests
