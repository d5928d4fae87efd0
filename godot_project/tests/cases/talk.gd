extends NpcTestCase
## The player talks with the people of Alderwick by mouse and keys, with a real server.

const ASKED := "Could I have two eggs, please?"
const THOUGHT := "I should mend the gate before winter."

var town: DemoTown
var hud: DemoHud
var talk: DemoTalk
var spoken: Array[String] = []
var calls: Array[String] = []


func run() -> void:
	NpcServer.game_action_received.connect(func(_id: String, call: String, _n: String, _a: Dictionary) -> void: calls.append(call))
	town = open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "There is no town.")
	hud = town.find_children("*", "DemoHud", false, false)[0]
	talk = hud.talk
	NpcServer.speech_received.connect(_on_speech_received)
	check(await until(NpcServer.is_playing), "It never played.")
	var agnes := _person("agnes_rook")
	var speed := NpcServer.time_scale
	_check_figures()
	await _check_pace(agnes)
	await _open_and_ask(agnes)
	await _talk_on()
	await _think(agnes)
	await _press(KEY_ESCAPE)
	check(not talk.is_open() and is_equal_approx(NpcServer.time_scale, speed), "Esc does not end the talk.")
	await _turn_away_and_back(agnes)
	_be_approached(agnes)
	await _lose_the_server()
	result.merge({"player": talk.player, "text": talk.panel.get_text(), "spoken": spoken, "calls": calls})


func _on_speech_received(_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if to.has(talk.player) and not partial:
		spoken.append(text)
		check(hud._feed[0].contains(text), "The feed has '%s' in place of '%s'." % [hud._feed[0], text])


## Most figures can be clicked; some stand behind another's name.
func _check_figures() -> void:
	var found := 0
	for person: DemoPerson in town.people:
		var bed := person.get_bed()
		var middle := bed.global_position if bed != null else person.to_global(Vector2(0, -8))
		found += 1 if hud.get_person_at(get_viewport().get_canvas_transform() * middle) == person else 0
	check(found > 15, "Of %d figures %d can be clicked on." % [town.people.size(), found])
	result["figures"] = found


## People walk faster when the player speeds the clock up. During a conversation only the clock is slow.
func _check_pace(agnes: DemoPerson) -> void:
	var before := NpcServer.time_scale
	var paces: Dictionary = {}
	for scale: float in [60.0, 240.0, 900.0, DemoTalk.SLOW] as Array[float]:
		hud._set_speed(scale)
		await get_tree().process_frame
		await get_tree().process_frame
		paces[scale] = agnes.get_agent().walk_speed / town._pace
	check(paces == {60.0: 1.0, 240.0: 4.0, 900.0: 15.0, DemoTalk.SLOW: 1.0}, "People walk at %s times their pace." % str(paces))
	hud._set_speed(before)


func _open_and_ask(agnes: DemoPerson) -> void:
	await _click(town.labels.get_label(agnes).get_shown_rect().get_center())
	check(talk.is_open() and talk.person == agnes, "A click on Agnes's name does not open the talk.")
	check(talk.panel.line.is_editing(), "One has to click once more to type.")
	check(talk.panel.line.placeholder_text == "Say something to Agnes …", talk.panel.line.placeholder_text)
	check(NpcServer.time_scale <= DemoTalk.SLOW, "Time runs on while one types.")
	await _type(ASKED)
	check(talk.panel.line.text == ASKED and talk.person == agnes, "Typing came out as '%s'." % talk.panel.line.text)
	await _press(KEY_ENTER)
	check(_count("You: " + ASKED) == 1 and talk.panel.line.text.is_empty(), "What was said is not shown: %s" % talk.panel.get_text())
	check(await until(func() -> bool: return spoken.size() == 1 and _count("Agnes: " + spoken[0]) == 1), "No answer: " + _all())
	check(await until(func() -> bool: return _count("» Agnes: give item (item: egg, count: 2)") == 1), "No deed: " + _all())
	check(await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "What came of the deed was not stored.")
	await let_frames_pass(60)
	check(_count(spoken[0]) == 1 and _count("…") == 0, "An answer stands there once: " + _all())


## Lines that the player types while Agnes thinks wait, and are answered one by one. None is lost or joined with another.
func _talk_on() -> void:
	var lines: Array[String] = ["Are the hens well?", "Are the hens well?", "And the goats?"]
	var before := spoken.size()
	var server := str(NpcServer.get_server_pid())
	OS.execute("kill", ["-STOP", server])
	for line: String in lines:
		await _say(line)
		check(talk.panel.line.text.is_empty(), "'%s' stays in the field." % talk.panel.line.text)
	check(_count("You: Are the hens well? (waits)") == 1 and _count("You: And the goats? (waits)") == 1, "Lines do not wait: " + _all())
	OS.execute("kill", ["-CONT", server])
	check(await until(func() -> bool: return spoken.size() == before + lines.size() and _count("…") == 0), "Not all is answered: " + _all())
	var expected: PackedStringArray = []
	for i: int in lines.size():
		expected.append_array(["You: " + lines[i], "Agnes: " + spoken[before + i]])
	var told: PackedStringArray = []
	for line: String in talk.panel.get_text().split("\n"):
		if line.begins_with("You: ") or line.begins_with("Agnes: "):
			told.append(line)
	check(told.slice(told.size() - expected.size()) == expected, "The lines are not in order: " + _all())


func _think(agnes: DemoPerson) -> void:
	await _say("/think " + THOUGHT)
	check(_count("(you put a thought into Agnes's head: %s)" % THOUGHT) == 1 and _count(THOUGHT) == 1, _all())
	var found: Array[bool] = [false]
	var look := func() -> void:
		var listed := NpcServer.call_server("MindService/ListMemories", {"npc_id": agnes.get_agent().persona_id, "page_size": 5})
		if await listed.done():
			found[0] = found[0] or JSON.stringify(listed.response).contains(THOUGHT)
	var ask := func() -> bool:
		if frames % 20 == 0:
			look.call()
		return found[0]
	check(await until(ask), "Agnes does not have the thought.")


func _be_approached(agnes: DemoPerson) -> void:
	check(not NpcServer.is_player_free(talk.player), "Somebody could come up to the player during a talk.")
	talk.close()
	check(NpcServer.is_player_free(talk.player), "Nobody can come up to the player after a talk.")
	NpcServer.player_approached.emit("agnes_rook", talk.player, "A word, please!", "")
	check(talk.is_open() and talk.person == agnes, "Agnes comes up, and no talk opens.")
	check(_count("Agnes: A word, please!") == 1, "Her line is not shown: " + _all())


## Resumes the last conversation by a key, begins another by a row, and ends it by the grass.
func _turn_away_and_back(agnes: DemoPerson) -> void:
	await _press(KEY_T)
	check(talk.is_open() and talk.person == agnes and talk.panel.line.text.is_empty(), "T does not go on with the talk.")
	check(_count("You: " + ASKED) == 1, "What was said is forgotten: " + _all())
	var other := 3 if town.people[3] != agnes else 4
	await _click(hud._area(other).get_center())
	check(talk.person == town.people[other] and _count(ASKED) == 0, "A click on a row does not open that talk: " + _all())
	await _press(KEY_ESCAPE)
	await _press(KEY_ENTER)
	check(talk.is_open() and talk.person == town.people[other], "Enter does not go on with the talk.")
	await _click(Vector2(30, 12))
	check(not talk.is_open(), "A click elsewhere does not end the talk.")
	talk.open(agnes)


func _lose_the_server() -> void:
	var server := str(NpcServer.get_server_pid())
	var again: Array[bool] = [false]
	NpcServer.connected.connect(func() -> void: again[0] = true)
	OS.execute("kill", ["-STOP", server])
	await _say("Are you still there?")
	check(await until(func() -> bool: return _count("Agnes: …") == 1), "It does not show that one waits: " + _all())
	await _say("Hello?")
	check(_count("You: Hello? (waits)") == 1 and talk.panel.line.text.is_empty(), "A line meanwhile is not shown to wait: " + _all())
	OS.execute("kill", ["-KILL", server])
	var failed := func() -> bool: return talk._get_log("agnes_rook").lines.back()["kind"] == DemoTalkLog.Kind.FAILURE
	check(await until(failed) and _count("Agnes: …") == 0, "The failure is not shown: " + _all())
	check(_count("You: Hello? (not said)") == 1, "It is not shown that a line was not said: " + _all())
	check(await until(func() -> bool: return again[0]), "It did not connect again.")
	talk.panel.line.clear()
	await _say("Good day to you.")
	check(await until(func() -> bool: return not talk._get_log("agnes_rook").is_waiting()), "No answer after the loss: " + _all())


func _say(text: String) -> void:
	await _type(text)
	await _press(KEY_ENTER)


func _type(text: String) -> void:
	for letter: String in text:
		var key := InputEventKey.new()
		key.unicode = letter.unicode_at(0)
		key.keycode = OS.find_keycode_from_string(letter.to_upper())
		key.pressed = true
		get_viewport().push_input(key)
	await get_tree().process_frame


func _press(code: Key) -> void:
	for down: bool in [true, false] as Array[bool]:
		var key := InputEventKey.new()
		key.keycode = code
		key.pressed = down
		get_viewport().push_input(key)
	await get_tree().process_frame


func _click(at: Vector2) -> void:
	for down: bool in [true, false] as Array[bool]:
		var button := InputEventMouseButton.new()
		button.button_index = MOUSE_BUTTON_LEFT
		button.position = at
		button.pressed = down
		get_viewport().push_input(button, true)
	await get_tree().process_frame


func _person(id: String) -> DemoPerson:
	for person: DemoPerson in town.people:
		if person.get_agent().persona_id == id:
			return person
	return null


func _count(words: String) -> int:
	return talk.panel.get_text().count(words)


func _all() -> String:
	return talk.panel.get_text().replace("\n", " / ")
