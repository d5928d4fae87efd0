class_name DemoSuggestions
## Chooses the lines that the dialogue box suggests: from what was just said, what the player has promised and carries, what
## is rumoured, and what the person offers.

const GREETING := "Hello!"
const NEWS := "Is there any news?"
const EGGS_PLEASE := "Bram sent me. Could I have six eggs, please?"
const EGGS_HERE := "Agnes sent your eggs. Would you take them for me?"
const TALK_OF_ME := "What do people say about me?"
const SORRY := "I am sorry for what I took. Here is the money for it."
const BOX := "What do you know about the tin box?"
const PARTY := "I will come to your party."
const DOING := "What are you doing?"
const YES := "Yes, please."
const NO := "No, thank you."
const SUPPER := "I want to invite everybody to supper at the Drowned Bell today at 18:00."


## Returns at most four lines for a talk with a person.
static func make(game: DemoGame, npc_id: String) -> Array[DemoChoice]:
	if game.talk.panel.whispers:
		return _make_whispers(game, npc_id)
	var said := game.talk.get_lines(npc_id)
	var found: Array[DemoChoice] = []
	if not said.is_empty() and said.back()["kind"] == DemoTalkLog.Kind.THEM and str(said.back()["text"]).ends_with("?"):
		found.append_array([DemoChoice.new(YES), DemoChoice.new(NO)])
	found.append_array(_make_urgent(game, npc_id))
	var offered := DemoOffers.get_choices(game.get_offers(npc_id))
	if said.is_empty():
		found.append(DemoChoice.new(GREETING))
	found = _leave_out_said(found, said)
	# One place is for news, and one for what the person offers; what is left shows more of that.
	if found.size() < DemoChoiceList.MOST - 1:
		found.append_array(_leave_out_said(offered, said).slice(0, DemoChoiceList.MOST - 1 - found.size()))
	found = found.slice(0, DemoChoiceList.MOST - 1)
	for filler: String in [NEWS, DOING] as Array[String]:
		if found.size() < DemoChoiceList.MOST - 1 or (filler == NEWS and found.size() < DemoChoiceList.MOST):
			found.append_array(_leave_out_said([DemoChoice.new(filler)] as Array[DemoChoice], said.slice(-6)))
	if found.size() < DemoChoiceList.MOST:
		found.append(DemoChoice.goodbye())
	return found


## Returns what the player would say first of all.
static func _make_urgent(game: DemoGame, npc_id: String) -> Array[DemoChoice]:
	var found: Array[DemoChoice] = []
	var on_errand := game.journal.has_goal(DemoTrade.ERRAND) and not game.journal.has_reached(DemoTrade.ERRAND)
	var eggs := game.purse.get_count("egg")
	if npc_id == DemoTrade.BRAM and on_errand and eggs >= DemoTrade.EGGS:
		found.append(DemoChoice.new(EGGS_HERE))
	if npc_id == DemoTrade.AGNES and on_errand and eggs < DemoTrade.EGGS:
		found.append(DemoChoice.new(EGGS_PLEASE))
	if game.deeds.is_owed(npc_id):
		found.append(DemoChoice.new(SORRY, DemoPurse.crowns_text(game.deeds.debts[npc_id])))
	elif not game.deeds.debts.is_empty():
		found.append(DemoChoice.new(TALK_OF_ME))
	if game.rumour.is_next(npc_id):
		found.append(DemoChoice.new(BOX))
	if npc_id == DemoStories.HOST and game.journal.has_goal(DemoStories.PARTY) and not game.journal.has_reached(DemoStories.PARTY):
		found.append(DemoChoice.new(PARTY))
	return found


static func _make_whispers(game: DemoGame, npc_id: String) -> Array[DemoChoice]:
	var mayor := DemoStories.RUNS_NOT if npc_id in game.stories.candidates else DemoStories.RUNS
	return [DemoChoice.new(mayor), DemoChoice.new(SUPPER), DemoChoice.goodbye()]


## Leaves out what the player has said already.
static func _leave_out_said(choices: Array[DemoChoice], said: Array[Dictionary]) -> Array[DemoChoice]:
	return choices.filter(
		func(choice: DemoChoice) -> bool:
			return (
				choice.line in [YES, NO]
				or not said.any(func(line: Dictionary) -> bool: return line["kind"] == DemoTalkLog.Kind.YOU and line["text"] == choice.line)
			)
	)
