class_name DemoTalk
extends Node
## Lets the player talk with the people: whom a click means, what is sent, and what comes back.

## A line that begins so is put into the person's head.
const THINK := "/think"
## Game seconds in a second while the player talks, at most: nobody goes on with the day while a line is typed.
const SLOW := 6.0
## Pixels that the mouse may move in a click; more drags the map.
const CLICK := 6.0
const LONGEST_NAME := 40

var hud: DemoHud
var panel := DemoTalkPanel.new()
## With whom the player talks, or did last.
var person: DemoPerson
## What the player is called: `-- --player=Robin`.
var player: String = clean_name(DemoTown.argument("player"))

var _logs: Dictionary = {}
var _pressed_at := Vector2.INF
var _speed_before: float = 60.0


func _ready() -> void:
	panel.visible = false
	panel.spoken.connect(_send)
	panel.shut.connect(close)
	hud.add_child.call_deferred(panel)
	NpcServer.answer_updated.connect(_on_answer_updated)
	NpcServer.answer_finished.connect(_on_answer_finished)
	NpcServer.game_action_received.connect(_on_game_action_received)
	NpcServer.disconnected.connect(_on_disconnected)
	NpcServer.failed.connect(_on_failed)


## On one line and not too long; "Robin" where nothing is left of it.
static func clean_name(given: String) -> String:
	var words := RegEx.create_from_string("[\\s\\p{Cc}\\p{Zl}\\p{Zp}]+").sub(given, " ", true).strip_edges()
	return words.left(LONGEST_NAME).strip_edges() if not words.is_empty() else "Robin"


## The player turns to somebody.
func open(with: DemoPerson) -> void:
	if person != null:
		person.chosen = false
	person = with
	person.chosen = true
	if not is_open():
		_speed_before = NpcServer.time_scale
		NpcServer.time_scale = minf(_speed_before, SLOW)
	panel.visible = true
	panel.turn_to(person)
	panel.line.edit()
	_show()


func close() -> void:
	if not is_open():
		return
	panel.visible = false
	panel.line.release_focus()
	person.chosen = false
	# Unless the player chose another speed meanwhile.
	if is_equal_approx(NpcServer.time_scale, minf(_speed_before, SLOW)):
		NpcServer.time_scale = _speed_before


func is_open() -> bool:
	return panel.visible


func _process(_delta: float) -> void:
	hud.town.keep_in_sight(person if is_open() else null, panel.position.y)
	hud.town.labels.bottom = panel.position.y if is_open() else 0.0


# ---- keys and clicks


func _input(event: InputEvent) -> void:
	if is_open() and event.is_action_pressed("ui_cancel"):
		close()
		get_viewport().set_input_as_handled()


func _unhandled_input(event: InputEvent) -> void:
	var button := event as InputEventMouseButton
	if button != null and button.button_index == MOUSE_BUTTON_LEFT:
		if not button.pressed and button.position.distance_to(_pressed_at) <= CLICK:
			_turn_to(hud.person_at(button.position))
		_pressed_at = button.position if button.pressed else Vector2.INF
	var motion := event as InputEventMouseMotion
	if motion != null:
		var over := hud.person_at(motion.position) != null
		Input.set_default_cursor_shape(Input.CURSOR_POINTING_HAND if over else Input.CURSOR_ARROW)
	var key := event as InputEventKey
	if key != null and key.pressed and not key.echo and key.keycode in [KEY_ENTER, KEY_KP_ENTER, KEY_T]:
		_turn_to(person if person != null else hud.town.nearest_person())
		get_viewport().set_input_as_handled()


func _turn_to(who: DemoPerson) -> void:
	if who != null:
		open(who)
	else:
		close()


func _send(given: String) -> void:
	var text := given.strip_edges()
	var log := _log_of(person.get_agent().persona_id)
	if text.is_empty() or log.is_waiting():
		return
	panel.line.clear()
	if NpcServer.state == NpcServer.State.STOPPED:
		log.fail("Nobody can hear you: the server is not running.")
	elif text == THINK or text.begins_with(THINK + " "):
		_think(log, text.substr(THINK.length()).strip_edges())
	else:
		log.ask(text)
		if not NpcServer.is_playing():
			log.add(DemoTalkLog.Kind.NOTE, "The server is not ready yet. Your words wait for it.")
		NpcServer.say(person.get_agent().persona_id, player, text)
	_show()


func _think(log: DemoTalkLog, thought: String) -> void:
	if thought.is_empty():
		log.add(DemoTalkLog.Kind.NOTE, "Write the thought behind it: %s I should mend the gate." % THINK)
		return
	log.add(DemoTalkLog.Kind.NOTE, "(you put a thought into %s's head)" % person.get_first_name())
	NpcServer.whisper(person.get_agent().persona_id, thought)


# ---- what comes back


func _on_answer_updated(npc_id: String, text: String) -> void:
	_log_of(npc_id).hear(text)
	_show()


func _on_answer_finished(npc_id: String, text: String, ended: bool) -> void:
	_log_of(npc_id).answer(text)
	if ended:
		_log_of(npc_id).add(DemoTalkLog.Kind.NOTE, "%s goes on with the day." % hud.name_of(npc_id))
	_show()


## The demo has no goods and no tasks of its own: whatever people do for the player happens.
func _on_game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary) -> void:
	var deed := "%s: %s" % [hud.name_of(npc_id), DemoTalkLog.deed_text(action_name, arguments)]
	if _log_of(npc_id).is_going_on():
		_log_of(npc_id).add(DemoTalkLog.Kind.DEED, "» " + deed)
	hud.remember(deed)
	NpcServer.report_game_action(npc_id, call_id, true)
	_show()


## What was asked is lost with the connection.
func _on_disconnected(reason: String) -> void:
	for log: DemoTalkLog in _logs.values():
		if log.is_waiting():
			log.fail(reason)
	_show()


## The signal does not say whom it is about: everybody who was asked something, else the one who is spoken to.
func _on_failed(error: NpcError) -> void:
	var asked := _logs.values().filter(func(log: DemoTalkLog) -> bool: return log.is_waiting())
	if asked.is_empty() and is_open() and NpcServer.is_playing():
		asked = [_log_of(person.get_agent().persona_id)]
	for log: DemoTalkLog in asked:
		if NpcServer.state == NpcServer.State.WAITING:
			log.add(DemoTalkLog.Kind.NOTE, error.message)  # tried again by itself; then the words go out
		else:
			log.fail(error.message)
	_show()


func _log_of(npc_id: String) -> DemoTalkLog:
	return _logs.get_or_add(npc_id, DemoTalkLog.new())


func _show() -> void:
	if is_open():
		panel.write(_log_of(person.get_agent().persona_id).lines)
