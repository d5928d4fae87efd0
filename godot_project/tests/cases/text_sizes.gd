extends PlayedCase
## The size of texts in the demo's game: names, bubbles, panels and the dialogue box, with the largest texts, and after a change.
## out=FOLDER for pictures.

const BRAM := "bram_oakes"
const LINES: Array[String] = [
	"Good morning! What do you sell today?",
	"I have lost my way between the old mill and the jetty. Would you tell me how I get to the square?",
	"Could I buy three honey cakes, please?",
	"Goodbye.",
]
const SAID := "Somebody has left the gate of the upper field open again, and the goats are in the beans, every single one of them."
const WINDOW := Rect2(0, 0, 1280, 720)

## How many layouts were looked at, and how many names stood in them.
var looked: int = 0
var names: int = 0


func run() -> void:
	get_window().size = WINDOW.size
	DemoSettings.change("text", "largest")
	await begin("texts", true)
	NpcServer.time_scale = 0.0
	check(DemoTextSize.scale == 1.4, "The setting does not count: %s" % DemoTextSize.scale)
	await _look_around()
	await _picture("around")
	await _talk()
	await _picture("talk")
	await _change_back()
	await leave()
	result = {"looked": looked, "names": names}


## Everybody stands once under the goals, where names must not be.
func _look_around() -> void:
	check(game.hud._goals_box.visible, "There are no goals.")
	var goals := game.hud._goals_box.get_global_rect().get_center()
	game.hud.say(SAID)
	for person: DemoPerson in game.town.people:
		var under := person.global_position + (WINDOW.get_center() - goals) / game.avatar.get_zoom()
		game.avatar.put(under)
		await let_frames_pass(6)
		_check_apart()
	game.avatar.put(get_place_beside(BRAM))
	await let_frames_pass(6)
	for person: DemoPerson in game.town.people:
		NpcServer.speech_received.emit(person.get_agent().persona_id, SAID, PackedStringArray(), false)
	check(await until(func() -> bool: return game.town.labels.count_bubbles() > 0), "Nobody is heard.")
	await let_frames_pass(6)
	_check_apart()
	for bubble: DemoBubble in game.town.labels._bubbles.filter(func(it: DemoBubble) -> bool: return it.text == SAID):
		check(bubble._words.get_size().x > DemoBubble.WIDE, "The words of a bubble are not larger.")
		check(bubble._words.get_line_count() <= DemoBubble.LINES, "A bubble of %d lines is cut." % bubble._words.get_line_count())


func _talk() -> void:
	await talk_to(BRAM)
	var panel := game.talk.panel
	var offered: Array[DemoChoice] = []
	for line: String in LINES:
		offered.append(DemoChoice.new(line))
	panel.choices.offer(offered)
	game.talk.note(BRAM, SAID)
	NpcServer.speech_received.emit(BRAM, SAID, PackedStringArray(), false)
	await let_frames_pass(10)
	check(WINDOW.encloses(panel.get_global_rect()), "The box is cut off: %s" % panel.get_global_rect())
	for node: Node in panel.find_children("*", "Control", true, false):
		var control := node as Control
		if control.is_visible_in_tree() and (control is Button or control is Label or control is LineEdit or control is RichTextLabel):
			_check_control(control, panel.get_global_rect())
	check(panel._said.size.y >= 3.0 * ThemeDB.fallback_font.get_height(24), "Only %d px show what was said." % int(panel._said.size.y))
	check(panel.line.get_theme_font_size(&"font_size") == 21, "The field has another size.")
	check(panel._said.get_theme_font_size(&"normal_font_size") == 24, "What was said has another size.")
	_check_apart()


func _check_control(control: Control, box: Rect2) -> void:
	var area := control.get_global_rect()
	check(box.grow(0.5).encloses(area), "%s reaches out of the box: %s" % [control, area])
	var needs := control.get_combined_minimum_size()
	check(area.size.x + 0.5 >= needs.x and area.size.y + 0.5 >= needs.y, "%s has no room: %s" % [control, area])
	var button := control as Button
	if button != null and button.autowrap_mode != TextServer.AUTOWRAP_OFF:
		var lines := TextParagraph.new()
		lines.width = area.size.x - button.get_theme_stylebox(&"normal").get_minimum_size().x
		lines.add_string(button.text, button.get_theme_font(&"font"), button.get_theme_font_size(&"font_size"))
		check(lines.get_size().y <= area.size.y, "A line to choose is cut: %s" % button.text)
		check(button.get_theme_font_size(&"font_size") == 21, "A line to choose has another size.")


## The pause menu changes the setting while the box is open.
func _change_back() -> void:
	var label := game.town.labels.get_label(game.town.get_person(BRAM))
	var before := [label.wide, game.talk.panel.size.y, game.hud._clock.size.x]
	DemoSettings.change("text", "normal")
	await let_frames_pass(4)
	var after := [label.wide, game.talk.panel.size.y, game.hud._clock.size.x]
	for i: int in before.size():
		check((after[i] as float) < (before[i] as float), "A text keeps its size: %s and %s." % [before, after])
	check(game.talk.panel.line.get_theme_font_size(&"font_size") == 15, "The field keeps its size.")
	check(WINDOW.encloses(game.talk.panel.get_global_rect()), "The box is cut off.")
	_check_apart()
	game.talk.close()
	await let_frames_pass(4)
	_check_apart()


## Names, bubbles and panels cover none of each other, and none is cut off.
func _check_apart() -> void:
	looked += 1
	var panels := game.hud.get_boxes()
	if game.talk.is_open():
		panels.append(game.talk.panel.get_global_rect())
	for i: int in panels.size():
		check(WINDOW.encloses(panels[i]), "A panel is cut off: %s" % panels[i])
		for j: int in i:
			check(not panels[i].intersects(panels[j]), "Panels cover each other: %s and %s" % [panels[i], panels[j]])
	var texts := game.town.labels._names.get_shown_rects()
	for label: DemoLabel in game.town.labels._labels:
		if label.visible:
			names += 1
			texts.append(label.get_shown_rect())
	for bubble: DemoBubble in game.town.labels._bubbles:
		if bubble.visible and bubble.stays:
			texts.append(Rect2(bubble.position, bubble.box))
	for i: int in texts.size():
		check(WINDOW.encloses(texts[i]), "A text is cut off: %s" % texts[i])
		for j: int in i:
			check(not texts[i].grow(-0.5).intersects(texts[j]), "Texts cover each other: %s and %s" % [texts[i], texts[j]])
		for panel: Rect2 in panels:
			check(not texts[i].grow(-1.0).intersects(panel), "A text is under a panel: %s and %s" % [texts[i], panel])


func _picture(called: String) -> void:
	if argument("out").is_empty():
		return
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png("%s/text_%s.png" % [argument("out"), called])
