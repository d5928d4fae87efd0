class_name DemoHud
extends CanvasLayer
## What stands around the town: clock and speed above, a card for each person at the side, the server and the talk below.

const SPEEDS := {"❚❚": 0.0, "1×": 60.0, "4×": 240.0, "15×": 900.0}
const DAYS := ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
const MONTHS := ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
const FEED := 12
const HEAD := 66.0
const SIDE := 304.0
const CARD := 158.0
const ROW := 22.0
## More people than this get a line each instead of a card.
const CARDS := 4

var town: DemoTown
var talk: DemoTalk

var _canvas: Control
var _buttons: Dictionary = {}
var _message: String = "Starting npc-server …"
var _message_is_bad: bool = false
var _notice: String = ""
var _feed: Array[String] = []


func _ready() -> void:
	_canvas = Control.new()
	_canvas.set_anchors_preset(Control.PRESET_FULL_RECT)
	_canvas.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_canvas.draw.connect(_draw_all)
	add_child(_canvas)
	var at := 470.0
	for label: String in SPEEDS:
		var button := Button.new()
		button.text = label
		button.position = Vector2(at, 20)
		button.size = Vector2(52, 34)
		button.toggle_mode = true
		button.focus_mode = Control.FOCUS_NONE  # Enter talks to somebody
		button.pressed.connect(_set_speed.bind(float(str(SPEEDS[label]))))
		add_child(button)
		_buttons[label] = button
		at += 58.0
	talk = DemoTalk.new()
	talk.hud = self
	add_child(talk)
	NpcServer.connected.connect(func() -> void: _say("Playing “%s”." % NpcServer.slot, false))
	NpcServer.action_received.connect(func(_id: String, action: NpcAction) -> void: remember(action.sentence))
	NpcServer.speech_received.connect(
		func(id: String, text: String, _to: PackedStringArray, partial: bool) -> void:
			if not partial:
				remember("%s: “%s”" % [name_of(id), text])
	)
	NpcServer.disconnected.connect(func(reason: String) -> void: _say("Lost the server, connecting again: %s" % reason, true))
	NpcServer.failed.connect(func(error: NpcError) -> void: _say(error.message, true))
	NpcServer.notice_received.connect(func(_level: String, _reason: String, message: String) -> void: _notice = message)


## Who is at a place of the screen, in the town or at the side; or null.
func person_at(at: Vector2) -> DemoPerson:
	if at.x < _canvas.get_viewport_rect().size.x - SIDE - 8:
		return town.person_at(at) if at.y > HEAD else null
	for i: int in town.people.size():
		if _area(i).has_point(at):
			return town.people[i]
	return null


## Where a person's card or row is.
func _area(i: int) -> Rect2:
	var left := _canvas.get_viewport_rect().size.x - SIDE
	if town.people.size() > CARDS:
		return Rect2(left, HEAD + 8.0 + i * ROW, SIDE - 16, ROW)
	return Rect2(left, HEAD + 8.0 + i * (CARD + 12.0), SIDE - 16, CARD)


func _set_speed(scale: float) -> void:
	NpcServer.time_scale = scale


func _say(text: String, bad: bool) -> void:
	_message = text
	_message_is_bad = bad


func _process(_delta: float) -> void:
	for label: String in SPEEDS:
		(_buttons[label] as Button).set_pressed_no_signal(is_equal_approx(NpcServer.time_scale, float(str(SPEEDS[label]))))
	_canvas.queue_redraw()


func _text(at: Vector2, words: String, size: int, colour: Color, wide: float = -1.0) -> void:
	_canvas.draw_string(ThemeDB.fallback_font, at, words, HORIZONTAL_ALIGNMENT_LEFT, wide, size, colour)


func _draw_all() -> void:
	var now := int(NpcServer.game_time_s)
	var screen := _canvas.get_viewport_rect().size
	_canvas.draw_rect(Rect2(0, 0, screen.x, HEAD), DemoPalette.PANEL)
	_canvas.draw_rect(Rect2(screen.x - SIDE - 8, 0, SIDE + 8, screen.y), DemoPalette.PANEL)
	_text(Vector2(18, 34), town.plan.name, 24, DemoPalette.ACCENT)
	_text(Vector2(18, 58), "a town that npc-server thinks for", 13, DemoPalette.TEXT_DIM)
	_text(Vector2(280, 38), clock_text(now) if now > 0 else "--:--", 26, DemoPalette.TEXT)
	_text(Vector2(280, 58), date_text(now) if now > 0 else "", 13, DemoPalette.TEXT_DIM)
	_draw_decisions(Vector2(734, 40))
	var hint := "Time goes slowly while you talk. Esc ends the talk." if talk.is_open() else "Click somebody to talk."
	_text(Vector2(729, 60), hint, 13, DemoPalette.TEXT_DIM)
	for i: int in town.people.size():
		if town.people.size() > CARDS:
			_draw_row(_area(i).position, town.people[i])
		else:
			_draw_card(_area(i), town.people[i])
	var left := screen.x - SIDE
	var y := _area(town.people.size()).position.y
	_draw_server(Rect2(left, y, SIDE - 16, 96))
	y += 108.0
	_draw_feed(Rect2(left, y, SIDE - 16, maxf(90.0, screen.y - y - 38.0)))


func _draw_decisions(at: Vector2) -> void:
	for source: String in ["model", "policy", "instinct"] as Array[String]:
		var words := "%s %d" % [source, int(str(NpcServer.decisions.get(source, 0)))]
		_canvas.draw_circle(at + Vector2(0, -5), 5.0, DemoPalette.SOURCES[source] as Color, true, -1.0, true)
		_text(at + Vector2(11, 0), words, 14, DemoPalette.TEXT)
		at.x += (32.0 + ThemeDB.fallback_font.get_string_size(words, HORIZONTAL_ALIGNMENT_LEFT, -1, 14).x)


## The latest words and deeds, newest first.
func _draw_feed(area: Rect2) -> void:
	_panel(area, DemoPalette.TEXT_DIM)
	_text(area.position + Vector2(20, 24), "Lately", 14, DemoPalette.TEXT)
	var at := area.position + Vector2(20, 44)
	for line: String in _feed:
		if at.y > area.end.y - 8.0:
			return
		_text(at, _cut(line, 12, area.size.x - 34), 12, DemoPalette.TEXT_DIM)
		at.y += 18.0


## The words, cut with an ellipsis where they do not fit on a line.
func _cut(words: String, size: int, wide: float) -> String:
	var font := ThemeDB.fallback_font
	if font.get_string_size(words, HORIZONTAL_ALIGNMENT_LEFT, -1, size).x <= wide:
		return words
	while not words.is_empty() and font.get_string_size(words + "…", HORIZONTAL_ALIGNMENT_LEFT, -1, size).x > wide:
		words = words.left(-1)
	return words.strip_edges() + "…"


func remember(line: String) -> void:
	_feed.push_front("%s  %s" % [clock_text(int(NpcServer.game_time_s)), line])
	_feed.resize(mini(_feed.size(), FEED))


func name_of(npc_id: String) -> String:
	for agent: NpcAgent in NpcAgent.all(get_tree()):
		if agent.persona_id == npc_id:
			return agent.display_name.get_slice(" ", 0)
	return npc_id


func _panel(area: Rect2, edge: Color) -> void:
	var style := StyleBoxFlat.new()
	style.bg_color = DemoPalette.PANEL_LIGHT
	style.set_corner_radius_all(8)
	style.border_color = edge
	style.border_width_left = 5
	_canvas.draw_style_box(style, area)


func _draw_card(area: Rect2, person: DemoPerson) -> void:
	var agent := person.get_agent()
	var action := agent.action
	_panel(area, person.colours[0] as Color)
	var at := area.position + Vector2(20, 28)
	_text(at, agent.display_name, 17, DemoPalette.TEXT)
	if action != null:
		var word := action.source
		var wide := ThemeDB.fallback_font.get_string_size(word, HORIZONTAL_ALIGNMENT_LEFT, -1, 12).x
		var colour: Color = DemoPalette.SOURCES.get(word, DemoPalette.TEXT_DIM)
		var tag := Rect2(area.end.x - wide - 26, area.position.y + 13, wide + 14, 20)
		_canvas.draw_rect(tag, Color(colour, 0.22))
		_text(tag.position + Vector2(7, 14.5), word, 12, colour)
	at.y += 24
	_canvas.draw_circle(at + Vector2(9, -5), 12.0, DemoPalette.PAPER, true, -1.0, true)
	DemoEmoji.draw(_canvas, at + Vector2(9, -5), person.get_emoji(), person.get_picture())
	var line := agent.action.sentence if agent.action != null else "Has not decided yet."
	_lines(at + Vector2(30, 0), line, 14, DemoPalette.TEXT, area.size.x - 62, 2)
	at.y += 42
	if action != null:
		var place := _place_text(action.address)
		var going := "→ " if agent.doing == NpcAgent.Doing.WALKING else ""
		var until := "%s%s · until %s" % [going, place, clock_text(action.end_s)]
		_text(at, _cut(until, 12, area.size.x - 34), 12, DemoPalette.TEXT_DIM)
	at.y += 24
	if not person.said.is_empty():
		_lines(at, "“%s”" % person.said, 13, DemoPalette.ACCENT, area.size.x - 34, 2)
	elif not person.thought.is_empty():
		_lines(at, "Thinks: %s" % person.thought, 13, Color(DemoPalette.TEXT_DIM, 0.9), area.size.x - 34, 2)


## One of many: who, and what they do.
func _draw_row(at: Vector2, person: DemoPerson) -> void:
	if person.chosen:
		_canvas.draw_rect(Rect2(at, Vector2(SIDE - 16, ROW)), DemoPalette.PANEL_LIGHT)
	_canvas.draw_rect(Rect2(at + Vector2(0, 2), Vector2(4, ROW - 4)), person.colours[0] as Color)
	_text(at + Vector2(10, 15), person.get_first_name(), 13, DemoPalette.TEXT)
	_text(at + Vector2(88, 15), _cut(person.get_line(), 12, SIDE - 110), 12, DemoPalette.TEXT_DIM)


func _lines(at: Vector2, words: String, size: int, colour: Color, wide: float, most: int) -> void:
	_canvas.draw_multiline_string(ThemeDB.fallback_font, at, words, HORIZONTAL_ALIGNMENT_LEFT, wide, size, most, colour)


func _place_text(address: String) -> String:
	var object := NpcObject.by_address(get_tree(), address)
	var room := NpcPlace.by_address(get_tree(), object.get_place_address() if object != null else address)
	if room == null:
		return address
	var house := NpcPlace.by_address(get_tree(), room.address.substr(0, room.address.rfind(":")))
	var words := room.display_name
	if house != null and house.address.contains(":"):
		words = ("%s, %s" % [house.display_name.trim_prefix("the "), object.display_name if object != null else words])
	return words


func _draw_server(area: Rect2) -> void:
	var playing := NpcServer.is_playing()
	_panel(area, Color("5c9e6d") if playing else (Color("c9574c") if _message_is_bad else DemoPalette.ACCENT))
	_text(area.position + Vector2(20, 26), "npc-server", 14, DemoPalette.TEXT)
	_lines(area.position + Vector2(20, 48), _message, 12, DemoPalette.TEXT if not _message_is_bad else DemoPalette.BAD, area.size.x - 34, 2)
	if not _notice.is_empty():
		_lines(area.position + Vector2(20, 84), _notice, 12, DemoPalette.TEXT_DIM, area.size.x - 34, 2)


## "06:30".
static func clock_text(game_time: int) -> String:
	@warning_ignore("integer_division")
	return "%02d:%02d" % [game_time % 86400 / 3600, game_time % 3600 / 60]


## "Monday, 4 May".
static func date_text(game_time: int) -> String:
	var day := Time.get_date_dict_from_unix_time(game_time)
	@warning_ignore("integer_division")
	var weekday: String = DAYS[game_time / 86400 % 7]
	return "%s, %d %s" % [weekday, int(str(day["day"])), MONTHS[int(str(day["month"])) - 1]]
