class_name DemoHud
extends CanvasLayer
## The panels around the town: the clock and the speed at the top, people and the server at the side, the conversation
## at the bottom. They are written again only after a change.

## Game seconds per second, by the button's text. The button that stops the clock has a drawing in place of a text.
const SPEEDS: Dictionary[String, float] = {"": 0.0, "1×": 60.0, "4×": 240.0, "15×": 900.0}
const DAYS: Array[String] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
const MONTHS: Array[String] = [
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"
]
const FEED := 12
const HEAD := 56.0
const SIDE := 312.0
const CARD := 150.0
const ROW := 19.0
const LINE := 20.0
## The height of the panel that tells about the server.
const SERVER := 92.0
## If there are more people than this, each gets a row in place of a card.
const CARDS := 3
const SLOWLY := "Time goes slowly while you talk. Esc ends the talk."
const CLICK := "Click somebody to talk."

var town: DemoTown
var talk: DemoTalk

var _head := ColorRect.new()
var _side := ColorRect.new()
var _clock: Label
var _date: Label
var _thinks: Label
var _hint: Label
var _counts: Dictionary[String, Label] = {}
var _buttons: Dictionary[String, Button] = {}
var _server: Panel
var _message: Label
var _notice: Label
var _feed: Array[String] = []
var _lately: Label
var _minute: int = -1


func _ready() -> void:
	layer = 2
	_build_side()
	_build_head()
	talk = DemoTalk.new()
	talk.town = town
	talk.layer = self
	talk.find_person = get_person_at
	talk.acted.connect(add_event)
	add_child(talk)
	NpcServer.connected.connect(_on_connected)
	NpcServer.thought_received.connect(func(_npc_id: String, _text: String, _source: String) -> void: _count())
	NpcServer.action_received.connect(func(_npc_id: String, _action: NpcAction) -> void: _count())
	for person: DemoPerson in town.people:
		person.get_agent().arrived.connect(func(action: NpcAction) -> void: add_event(action.sentence))
	NpcServer.speech_received.connect(_on_speech_received)
	NpcServer.disconnected.connect(func(reason: String) -> void: _say("Lost the server, connecting again: %s" % reason, true))
	NpcServer.failed.connect(func(error: NpcError) -> void: _say(error.message, true))
	NpcServer.notice_received.connect(func(_level: String, _reason: String, message: String) -> void: _notice.text = message)
	_say("Starting npc-server …", false)


func _process(_delta: float) -> void:
	for label: String in SPEEDS:
		_buttons[label].set_pressed_no_signal(is_equal_approx(NpcServer.time_scale, SPEEDS[label]))
	_hint.text = SLOWLY if talk.is_open() else CLICK
	var minute := int(NpcServer.game_time_s / 60.0)
	if minute != _minute:
		_minute = minute
		_clock.text = get_clock_text(minute * 60) if minute > 0 else "--:--"
		_date.text = get_date_text(minute * 60) if minute > 0 else ""


## Returns who is at a position of the screen, in the town or in the side panel, or [code]null[/code].
func get_person_at(at: Vector2) -> DemoPerson:
	if at.x < _side.get_viewport_rect().size.x - SIDE - 8:
		return town.get_person_at(at) if at.y > HEAD else null
	for i: int in town.people.size():
		if _area(i).has_point(at):
			return town.people[i]
	return null


## Adds a line at the top of the latest events.
func add_event(line: String) -> void:
	_feed.push_front("%s  %s" % [get_clock_text(int(NpcServer.game_time_s)), line])
	_feed.resize(mini(_feed.size(), FEED))
	_lately.text = "\n".join(_feed)


## Returns a text such as "06:30".
static func get_clock_text(game_time: int) -> String:
	@warning_ignore("integer_division")
	return "%02d:%02d" % [posmod(game_time, 86400) / 3600, posmod(game_time, 3600) / 60]


## Returns a text such as "Monday, 4 May".
static func get_date_text(game_time: int) -> String:
	var day := Time.get_date_dict_from_unix_time(game_time)
	var weekday: String = DAYS[posmod(floori(game_time / 86400.0), 7)]
	return "%s, %d %s" % [weekday, day["day"], MONTHS[day["month"] - 1]]


## Returns where a person's card or row is on the screen.
func _area(i: int) -> Rect2:
	var area := _place_of(i)
	area.position.x += _side.get_viewport_rect().size.x - SIDE - 8.0
	return area


## Returns the same within the side panel.
func _place_of(i: int) -> Rect2:
	if town.people.size() > CARDS:
		return Rect2(8.0, HEAD + 6.0 + i * ROW, SIDE - 8, ROW)
	return Rect2(8.0, HEAD + 8.0 + i * (CARD + 8.0), SIDE - 16, CARD)


func _build_head() -> void:
	_head.color = DemoPalette.PANEL
	_head.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_head.set_anchors_preset(Control.PRESET_TOP_WIDE)
	_head.offset_bottom = HEAD
	add_child(_head)
	DemoWords.add_line(_head, Rect2(16, 3, 260, 30), 22, DemoPalette.ACCENT).text = town.plan.name
	_thinks = DemoWords.add_line(_head, Rect2(16, 32, 264, 20), 14, DemoPalette.TEXT_DIM)
	_thinks.text = "a town that npc-server thinks for"
	_clock = DemoWords.add_line(_head, Rect2(292, 3, 170, 30), 24, DemoPalette.TEXT)
	_date = DemoWords.add_line(_head, Rect2(292, 32, 184, 20), 14, DemoPalette.TEXT_DIM)
	var at := 486.0
	for label: String in SPEEDS:
		var button := Button.new()
		button.text = label
		button.position = Vector2(at, 12)
		button.size = Vector2(48, 32)
		button.toggle_mode = true
		button.focus_mode = Control.FOCUS_NONE  # Enter talks to somebody
		button.pressed.connect(_set_speed.bind(SPEEDS[label]))
		_head.add_child(button)
		if label.is_empty():
			_draw_pause(button)
		_buttons[label] = button
		at += 52.0
	at = 720.0
	for source: String in DemoPalette.SOURCES:
		_add_dot(Vector2(at, 18), DemoPalette.SOURCES[source])
		_counts[source] = DemoWords.add_line(_head, Rect2(at + 10, 7, 112, 22), 14, DemoPalette.TEXT)
		_counts[source].tooltip_text = DemoPalette.SOURCES_IN_WORDS[source]
		_counts[source].mouse_filter = Control.MOUSE_FILTER_PASS
		at += 122.0
	_hint = DemoWords.add_line(_head, Rect2(715, 32, 440, 20), 14, DemoPalette.TEXT_DIM)
	_hint.text = CLICK
	_count()


## Draws a pause sign, which Godot's font lacks.
func _draw_pause(button: Button) -> void:
	button.draw.connect(
		func() -> void:
			for x: int in [18, 26] as Array[int]:
				button.draw_rect(Rect2(x, 9, 4, 14), DemoPalette.TEXT)
	)


func _add_dot(at: Vector2, colour: Color) -> void:
	var dot := DemoWords.add_panel(_head, Rect2(at - Vector2(5, 5), Vector2(10, 10)), colour)
	(dot.get_theme_stylebox("panel") as StyleBoxFlat).bg_color = colour


func _build_side() -> void:
	_side.color = DemoPalette.PANEL
	_side.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_side.set_anchors_preset(Control.PRESET_RIGHT_WIDE)
	_side.offset_left = -SIDE - 8.0
	add_child(_side)
	for i: int in town.people.size():
		var card := DemoCard.new()
		card.person = town.people[i]
		card.whole = town.people.size() <= CARDS
		card.position = _place_of(i).position
		card.size = _place_of(i).size
		_side.add_child(card)
	var y := _place_of(town.people.size()).position.y + 4.0
	_server = DemoWords.add_panel(_side, Rect2(8, y, SIDE - 16, SERVER), DemoPalette.ACCENT)
	DemoWords.add_line(_server, Rect2(16, 5, 200, 20), 15, DemoPalette.TEXT).text = "npc-server"
	_message = DemoWords.add_lines(_server, Rect2(16, 25, SIDE - 44, 42), 14, DemoPalette.TEXT, 2)
	_notice = DemoWords.add_lines(_server, Rect2(16, 67, SIDE - 44, 21), 14, DemoPalette.TEXT_DIM, 1)
	y += SERVER + 8.0
	var high := maxf(50.0, _side.get_viewport_rect().size.y - y - 8.0)
	var lately := DemoWords.add_panel(_side, Rect2(8, y, SIDE - 16, high), DemoPalette.TEXT_DIM)
	DemoWords.add_line(lately, Rect2(16, 3, 200, 20), 15, DemoPalette.TEXT).text = "Lately"
	var lines := int((high - 26.0) / LINE)
	_lately = DemoWords.add_lines(lately, Rect2(16, 24, SIDE - 40, lines * LINE + 1.0), 14, DemoPalette.TEXT_DIM, lines)


func _set_speed(scale: float) -> void:
	NpcServer.time_scale = scale


func _say(text: String, bad: bool) -> void:
	_message.text = text
	_message.add_theme_color_override("font_color", DemoPalette.BAD if bad else DemoPalette.TEXT)
	var good := Color("5c9e6d") if NpcServer.is_playing() else DemoPalette.ACCENT
	(_server.get_theme_stylebox("panel") as StyleBoxFlat).border_color = Color("c9574c") if bad else good


## Writes which share of actions, lines and thoughts each source has decided.
func _count() -> void:
	var all := 0
	for source: String in _counts:
		all += NpcServer.decisions.get(source, 0)
	for source: String in _counts:
		_counts[source].text = "%s %d %%" % [source, roundi(100.0 * NpcServer.decisions.get(source, 0) / maxi(all, 1))]


func _on_connected() -> void:
	_say("Playing “%s”." % NpcServer.slot, false)
	_thinks.text = "the model is %s" % NpcServer.model if NpcServer.model else "no model: everybody lives by instinct"


func _on_speech_received(npc_id: String, text: String, _to: PackedStringArray, partial: bool) -> void:
	if not partial:
		add_event("%s: “%s”" % [town.get_name_of(npc_id), text])
		_count()
