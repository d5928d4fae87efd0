class_name DemoTalk
extends Node
## Lets the player talk with people: handles clicks and keys, sends lines, and shows the answers.

## Emitted when a talk begins, or turns to another person.
signal opened(person: DemoPerson)
## Emitted when the panel is closed.
signal closed
## Emitted when the player has said something to somebody.
signal told(npc_id: String, text: String)
## Emitted when somebody has answered, or comes up to the player with a line.
signal heard(npc_id: String, text: String)
## Emitted when somebody does something for a player without a body.
signal acted(words: String)
## Emitted when the player has put a thought into somebody's head.
signal whispered(npc_id: String, thought: String)

## A line that begins with this becomes a thought of the person.
const THINK := "/think"
## The highest speed of the game clock during a conversation, so that nobody leaves while the player types.
const SLOW := 6.0
## How far the mouse may move during a click, in pixels. A longer way drags the map.
const CLICK := 6.0
const LONGEST_NAME := 40

var town: DemoTown
## What the panel lies on.
var layer: CanvasLayer
## Returns who is at a position of the screen.
var find_person: Callable
## If [code]true[/code], the player has a body that walks. A talk then ends when it goes away, and only the body begins one.
var has_body: bool = false
var panel := DemoTalkPanel.new()
## The person whom the player talks with, or talked with last.
var person: DemoPerson
## The player's name, from [code]-- --player=Robin[/code].
var player: String = clean_name(DemoTown.argument("player"))
## Where the player is. Without a body that walks, it is beside the person with whom the player talked last, and not drawn.
var body := Node2D.new()
## The answer that was asked for last; [code]null[/code] for none.
var reply: NpcReply = null

var _logs: Dictionary[String, DemoTalkLog] = {}
var _pressed_at := Vector2.INF
var _speed_before: float = 60.0


func _ready() -> void:
	panel.visible = false
	panel.spoken.connect(_send)
	panel.shut.connect(close)
	panel.is_wide = has_body
	layer.add_child.call_deferred(panel)
	if not has_body:
		body.name = player
		town.add_child.call_deferred(body)
		NpcServer.game_action_received.connect(_on_game_action_received)
	NpcServer.player_approached.connect(_on_player_approached)
	NpcServer.answer_updated.connect(_on_answer_updated)
	NpcServer.answer_finished.connect(_on_answer_finished)
	NpcServer.disconnected.connect(_on_disconnected)
	NpcServer.failed.connect(_on_failed)


## Makes the name one line of limited length. Returns "Robin" if nothing is left.
static func clean_name(given: String) -> String:
	var words := RegEx.create_from_string("[\\s\\p{Cc}\\p{Zl}\\p{Zp}]+").sub(given, " ", true).validate_node_name().strip_edges()
	return words.left(LONGEST_NAME).strip_edges() if not words.is_empty() else "Robin"


## Begins a conversation with a person.
func open(with: DemoPerson) -> void:
	if person != null:
		person.chosen = false
	person = with
	person.chosen = true
	if not has_body:
		body.global_position = person.global_position
		body.add_to_group(NpcAgent.PLAYER_GROUP)
	NpcServer.set_player_busy(player, true)
	if not is_open():
		_speed_before = NpcServer.time_scale
		NpcServer.time_scale = minf(_speed_before, SLOW)
	panel.visible = true
	panel.turn_to(person)
	panel.line.edit()
	opened.emit(person)
	_show()


func close() -> void:
	if not is_open():
		return
	if has_body:
		NpcServer.end_talk(person.get_agent().persona_id, player)
	panel.visible = false
	NpcServer.set_player_busy(player, false)
	panel.line.release_focus()
	person.chosen = false
	# Not if the player has chosen another speed meanwhile.
	if is_equal_approx(NpcServer.time_scale, minf(_speed_before, SLOW)):
		NpcServer.time_scale = _speed_before
	closed.emit()


func is_open() -> bool:
	return panel.visible


func _process(_delta: float) -> void:
	town.keep_in_sight(person if is_open() else null, panel.position.y)
	town.labels.bottom = panel.position.y if is_open() else 0.0


# ---- keys and clicks


func _input(event: InputEvent) -> void:
	# While the game is paused, Esc closes what lies over the box.
	if is_open() and not get_tree().paused and event.is_action_pressed("ui_cancel"):
		close()
		get_viewport().set_input_as_handled()


func _unhandled_input(event: InputEvent) -> void:
	if has_body:
		return
	var button := event as InputEventMouseButton
	if button != null and button.button_index == MOUSE_BUTTON_LEFT:
		if not button.pressed and button.position.distance_to(_pressed_at) <= CLICK:
			_turn_to(find_person.call(button.position) as DemoPerson)
		_pressed_at = button.position if button.pressed else Vector2.INF
	var motion := event as InputEventMouseMotion
	if motion != null:
		var over := find_person.call(motion.position) != null
		Input.set_default_cursor_shape(Input.CURSOR_POINTING_HAND if over else Input.CURSOR_ARROW)
	var key := event as InputEventKey
	if key != null and key.pressed and not key.echo and key.keycode in [KEY_ENTER, KEY_KP_ENTER, KEY_T]:
		_turn_to(person if person != null else town.get_nearest_person())
		get_viewport().set_input_as_handled()


func _turn_to(who: DemoPerson) -> void:
	if who != null:
		open(who)
	else:
		close()


## Says a line to the person of the talk, as if the player had typed it.
func say(text: String) -> void:
	_send(text)


## Adds a line about something that happens in the talk, such as a purchase.
func note(npc_id: String, words: String) -> void:
	_get_log(npc_id).add(DemoTalkLog.Kind.ACTION, "» " + words)
	_show()


## Returns the lines of the conversation with somebody.
func get_lines(npc_id: String) -> Array[Dictionary]:
	return _get_log(npc_id).lines


## Returns [code]true[/code] while somebody's answer is awaited.
func is_waiting_for(npc_id: String) -> bool:
	return _get_log(npc_id).is_waiting()


## Says a line. While the person thinks about another, it waits for the answer to that.
func _send(given: String) -> void:
	var text := given.strip_edges()
	var log := _get_log(person.get_agent().persona_id)
	if text.is_empty():
		return
	panel.line.clear()
	if NpcServer.state == NpcServer.State.STOPPED and not NpcServer.is_without_minds():
		log.fail("Nobody can hear you: the server is not running.")
	elif panel.whispers:
		_think(log, text)
	elif text == THINK or text.begins_with(THINK + " "):
		_think(log, text.substr(THINK.length()).strip_edges())
	else:
		var is_next := log.ask(text)
		if not NpcServer.is_playing() and not NpcServer.is_without_minds():
			log.add(DemoTalkLog.Kind.NOTE, "The server is not ready yet. Your words wait for it.")
		if is_next:
			reply = NpcServer.say(person.get_agent().persona_id, player, text)
		told.emit(person.get_agent().persona_id, text)
	_show()


func _think(log: DemoTalkLog, thought: String) -> void:
	if thought.is_empty():
		log.add(DemoTalkLog.Kind.NOTE, "Write the thought behind it: %s I should mend the gate." % THINK)
		return
	log.add(DemoTalkLog.Kind.NOTE, "(you put a thought into %s's head: %s)" % [person.get_first_name(), thought])
	NpcServer.whisper(person.get_agent().persona_id, thought)
	whispered.emit(person.get_agent().persona_id, thought)


# ---- answers


## Opens the conversation that somebody begins with the player.
func _on_player_approached(npc_id: String, to: String, text: String, _about: String) -> void:
	var comer := town.get_person(npc_id)
	if to != player or comer == null:
		return
	_get_log(npc_id).add(DemoTalkLog.Kind.NOTE, "%s comes up to you." % comer.get_first_name())
	_get_log(npc_id).add(DemoTalkLog.Kind.THEM, text)
	if not is_open():
		open(comer)
	heard.emit(npc_id, text)
	_show()


func _on_answer_updated(npc_id: String, text: String) -> void:
	_get_log(npc_id).hear(text)
	_show()


func _on_answer_finished(npc_id: String, text: String, ended: bool) -> void:
	_get_log(npc_id).answer(text)
	if ended:
		_get_log(npc_id).add(DemoTalkLog.Kind.NOTE, "%s goes on with the day." % town.get_name_of(npc_id))
	var next := _get_log(npc_id).take_next()
	if not next.is_empty():
		reply = NpcServer.say(npc_id, player, next)
	heard.emit(npc_id, text)
	_show()


## Who only watches has no items or quests, so every offered action succeeds.
func _on_game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary) -> void:
	var words := "%s: %s" % [town.get_name_of(npc_id), DemoTalkLog.get_action_text(action_name, arguments)]
	if _get_log(npc_id).is_going_on():
		note(npc_id, words)
	acted.emit(words)
	NpcServer.report_game_action(npc_id, call_id, true)


## A question is lost with the connection.
func _on_disconnected(reason: String) -> void:
	for log: DemoTalkLog in _logs.values():
		if log.is_waiting():
			log.fail(reason)
	_show()


## The signal does not say whom the error concerns. Show it to everybody who was asked, else to the current person.
func _on_failed(error: NpcError) -> void:
	var asked := _logs.values().filter(func(log: DemoTalkLog) -> bool: return log.is_waiting())
	if asked.is_empty() and is_open() and NpcServer.is_playing():
		asked = [_get_log(person.get_agent().persona_id)]
	for log: DemoTalkLog in asked:
		if NpcServer.state == NpcServer.State.WAITING:
			log.add(DemoTalkLog.Kind.NOTE, error.message)  # the addon tries again, and then sends the line
		else:
			log.fail(error.message)
	_show()


func _get_log(npc_id: String) -> DemoTalkLog:
	return _logs.get_or_add(npc_id, DemoTalkLog.new())


func _show() -> void:
	if is_open():
		panel.write(_get_log(person.get_agent().persona_id).lines)
