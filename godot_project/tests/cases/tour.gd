extends TourCase
## Plays the demo's game from its title to the second night, and takes the pictures of docs/tour.md and the frames of the
## README's animation: out=FOLDER. scripts/tour.py runs it with a real server.

const BRAM := "bram_oakes"
const AGNES := "agnes_rook"
const DOROTHEA := "dorothea_penhallow"
const GWEN := "gwen_penhallow"
const SHOP := "alderwick:bakery:bakery_shop"
const STREET := Vector2i(52, 53)
## What the player types of their own accord, to whom. No rule foresees it: memory, the bank or the model answers.
const WONDERS: Dictionary[String, Array] = {
	BRAM:
	[
		"What is Priya doing right now?",
		"What would you say to somebody who cannot sleep?",
		"What happens in this town when nobody bakes?",
	],
	AGNES: ["What happens on the farm when it rains for a week?"],
	DOROTHEA: ["What would you tell a young person who wants to leave?"],
	GWEN: ["What will you say to Hester, who wants to be mayor, too?", "What would happen to the ferry if there were a bridge?"],
	DemoStories.HOST: ["Where did you get all those lanterns?", "What happens when the lanterns go out?"],
}
## The same to whoever was told of the theft.
const FACE_TO_FACE: Array[String] = ["How angry is Bram?", "Will you tell anybody else?"]
## Game seconds in a second while a deed is told. Faster, nobody finds the time for a talk.
const TOLD_SPEED := 240.0
## Until when the news is awaited on either day, and when the player gets up: hours of the day.
const MONDAY_ENDS_H := 20.0
const MORNING_H := 9.0
const LATEST_H := 15.5
## When the party is at its best, and when lamps burn: hours of the day.
const PARTY_H := 18.3
const NIGHT_H := 21.5

## Who was told of the theft, and was not there.
var hearer: String = ""


func run() -> void:
	await _open_title()
	await _arrive()
	await _talk_and_buy()
	await _do_the_errand()
	await _ask_for_news()
	await _whisper()
	await _steal()
	await _wait_until_it_is_told()
	await _meet_somebody_who_heard()
	await _read_news_and_journal()
	await _look_into_minds()
	await _come_to_the_party()
	await _see_the_night()
	result["model"] = NpcServer.model
	result["decisions"] = NpcServer.decisions
	result["answers"] = answers.all
	check(camera.finish(), "The clips were not written.")


func _open_title() -> void:
	await begin_at_title()
	await picture("title")
	camera.roll("title", "A Godot game whose people think and remember, on the player's own machine")
	await pause(1.5)
	await press(KEY_ENTER)
	await pause(0.8)
	camera.cut()
	await press(KEY_ENTER)


## From the street by the tavern to the bakery.
func _arrive() -> void:
	await enter_game()
	check(await until(_is_bram_in_shop), "Bram does not come to his shop.")
	await stand_at(STREET)
	await pause(2.0)
	camera.roll("walk", "Alderwick has twenty-five people. Each lives a day of their own")
	game.avatar.walk_to(get_place_beside(BRAM))
	await pause(1.6)
	await camera.take("town")
	await pause(1.8)
	camera.cut()


func _talk_and_buy() -> void:
	await walk_up_to(BRAM)
	await pause(LOOK_S)
	for line: String in WONDERS[BRAM]:
		if line == WONDERS[BRAM].back():
			camera.roll("talk", "Choose a line, or type your own")
		await wonder(line)
		await pause(1.5)
	camera.cut()
	await picture("talk")
	camera.roll("buy", "They act in the game, too: Bram sells a loaf")
	await pick("Could I buy one rye loaf, please?")
	await answered()
	await pause(1.2)
	camera.cut()
	check(game.purse.get_count("rye loaf") == 1, "No loaf was bought: " + game.talk.panel.get_text())


func _do_the_errand() -> void:
	await ask("Is there anything I can help you with?")
	if not game.journal.has_goal(DemoTrade.ERRAND):
		await choose(DemoSuggestions.YES)
	check(game.journal.has_goal(DemoTrade.ERRAND), "Bram sends nobody: " + game.talk.panel.get_text())
	await picture("errand")
	await leave_talk()
	await meet(AGNES)
	await choose(DemoSuggestions.EGGS_PLEASE)
	await _wonder_aloud(AGNES)
	await leave_talk()
	await talk_to(BRAM)
	await choose(DemoSuggestions.EGGS_HERE)
	await leave_talk()


func _ask_for_news() -> void:
	await meet(BRAM)
	await ask(DemoSuggestions.NEWS)
	await leave_talk()
	await meet(DOROTHEA)
	await _wonder_aloud(DOROTHEA)
	await leave_talk()


func _wonder_aloud(npc_id: String) -> void:
	for line: String in WONDERS[npc_id]:
		await wonder(line)
		await pause(1.5)


func _whisper() -> void:
	await meet(GWEN)
	await pause(LOOK_S)
	camera.roll("whisper", "Whisper, and it becomes a thought of theirs")
	await press(KEY_F2)
	await pause(0.8)
	await pick(DemoStories.RUNS)
	await pause(1.2)
	camera.cut()
	await press(KEY_F2)
	await _wonder_aloud(GWEN)
	await picture("whisper")
	await leave_talk()


func _steal() -> void:
	check(await until(_is_bram_in_shop), "Bram does not come to his shop.")
	await leave_talk()
	var shelf := NpcObject.by_address(SHOP + ":shelves")
	game.avatar.put(shelf.get_spot() as Vector2)
	await pause(1.0)
	await until(func() -> bool: return game.reach.prompt.begins_with("Steal"))  # Bram may stand at the shelf
	camera.roll("steal", "Steal, and be seen")
	await pause(1.0)
	await press(KEY_E)
	await pause(1.5)
	camera.cut()
	await picture("theft")
	check(game.deeds.is_owed(BRAM), "Bram stands there and sees nothing.")


## The day goes on, and if need be the next one, until somebody was told. Whoever saw it needs an occasion.
func _wait_until_it_is_told() -> void:
	await pause(DemoDeeds.SOON_S)
	await stand_at(DemoGame.LANDING)  # beside the player, who robbed him, Bram has no eye for anybody else
	await _pass_until_told(MONDAY_ENDS_H)
	RenderingServer.render_loop_enabled = false
	game.rest.pass_until(MORNING_H, "The night passes …")
	await rest_is_over()
	await _pass_until_told(LATEST_H)
	result["hearer"] = hearer
	check(not hearer.is_empty(), "Nobody who is awake was told.")
	if hearer.is_empty():
		hearer = BRAM


## Lets time pass until an hour of the day, or until somebody who is awake was told.
func _pass_until_told(hour: float) -> void:
	var end := NpcServer.game_time_s + fposmod(hour * 3600.0 - NpcServer.game_time_s, 86400.0)
	RenderingServer.render_loop_enabled = false
	NpcServer.time_scale = TOLD_SPEED
	hearer = await _find_hearer()
	while NpcServer.game_time_s < end and hearer.is_empty():
		await pause(3.0)
		await leave_talk()  # whoever saw it may come up, and stays as long as the box is open
		hearer = await _find_hearer()
	NpcServer.time_scale = NpcSettings.get_float(NpcSettings.TIME_SCALE)
	RenderingServer.render_loop_enabled = true


func _meet_somebody_who_heard() -> void:
	await meet(hearer)
	await pause(1.0)
	camera.roll("gossip", "The next day somebody else has heard of it")
	await type_slowly(DemoSuggestions.TALK_OF_ME)
	await answered()
	await pause(1.8)
	camera.cut()
	await picture("gossip")
	for line: String in FACE_TO_FACE:
		await wonder(line)
	await leave_talk()


func _read_news_and_journal() -> void:
	await press(KEY_N)
	check(await until(func() -> bool: return not game.hud.news._is_reading), "The sheet stays empty.")
	camera.roll("news", "Who told whom, read from their memories")
	await pause(2.0)
	camera.cut()
	await picture("news")
	await press(KEY_ESCAPE)
	await press(KEY_J)
	await picture("journal")
	await press(KEY_ESCAPE)


func _look_into_minds() -> void:
	await press(KEY_F10)
	var panel := NpcPanelHost.find(self).panel
	check(await until(func() -> bool: return not panel.view.people.is_empty()), "Nobody is listed.")
	await pause(2.0)
	await picture("panel_everybody")
	panel.view.choose(hearer)
	camera.roll("panel", "F10 looks into any mind: what it does and why, and what comes to mind")
	await pause(1.2)
	panel.show_page("Recall")
	(panel.pages["Recall"] as Control).call("recall", "What did Robin do?")
	await pause(2.4)
	camera.cut()
	_choose_row(panel.pages["Recall"], 0)
	await pause(1.0)
	await picture("panel_recall")
	panel.show_page("Questions")
	await pause(2.0)
	_choose_row(panel.pages["Questions"], _find_row(panel.pages["Questions"], "say:"))
	await picture("panel_questions")
	panel.view.choose(BRAM)
	panel.show_page("Relations")
	(panel.pages["Relations"].get("everybody") as CheckButton).button_pressed = true
	await pause(4.0)
	await picture("panel_relations")
	await press(KEY_F10)


## Returns the first row whose title begins so, or else the first.
func _find_row(page: Control, beginning: String) -> int:
	var rows: Array = page.get("list").get("rows")
	return maxi(rows.find_custom(func(row: RefCounted) -> bool: return str(row.get("title")).begins_with(beginning)), 0)


func _choose_row(page: Control, at: int) -> void:
	if not (page.get("list").get("rows") as Array).is_empty():
		page.get("list").call("choose", at)


func _come_to_the_party() -> void:
	await pass_until(16.5, DemoRest.FASTEST)
	await pass_until(PARTY_H, DemoRest.FAST)
	var jetty := NpcPlace.by_address(DemoStories.PARTY_PLACE)
	game.avatar.put(jetty.global_position + jetty.size / 2.0)
	check(await until(func() -> bool: return game.journal.has_reached(DemoStories.PARTY)), "The party is not noticed.")
	result["guests"] = game.stories.guests
	await pause(1.0)
	await be_left_alone()
	camera.roll("party", "A thought of one person has become a party")
	await pause(2.5)
	camera.cut()
	await picture("party")
	await meet(DemoStories.HOST)
	camera.roll("ask", "Ask whatever you like")
	await _wonder_aloud(DemoStories.HOST)
	camera.cut()
	await leave_talk()


func _see_the_night() -> void:
	await pass_until(NIGHT_H, DemoRest.FASTEST)
	await stand_at(STREET)
	await pause(2.0)
	await be_left_alone()
	camera.roll("night", "Whoever is still awake has a light on")
	await picture("night")
	await pause(2.0)
	camera.cut()


func _is_bram_in_shop() -> bool:
	return game.town.get_person(BRAM).get_agent().get_place_address() == SHOP


## Returns who was told of the theft and can be talked with now.
func _find_hearer() -> String:
	await game.hud.news.news.gather(game.town)
	for item: DemoNews.Item in game.hud.news.news.items:
		if not item.text.begins_with("Robin steals a rye loaf"):
			continue
		result["told_by"] = item.told_by
		for npc_id: String in item.told_by:
			if not item.told_by[npc_id].is_empty() and game.town.get_person(npc_id).get_bed() == null:
				return npc_id
	return ""
