class_name NpcTestCase
extends Node
## Base of all test cases. [method run] checks something and fills [member result] for pytest.

## Emitted before each frame and before each physics step.
signal stepped

## Ends a wait that would never end. It is so long because no test may depend on the speed of the machine.
const PATIENCE_S := 180.0

## The arguments after the name of the case.
var arguments: PackedStringArray = []
## The result, which pytest reads as JSON.
var result: Dictionary = {}
## The failed checks. If there is any, the exit code is 1.
var problems: PackedStringArray = []
## The number of frames since the case began.
var frames: int = 0


func run() -> void:
	problems.append("The case has no run().")


## Returns [code]true[/code] if [NpcAbsent] acts for absent characters in this case.
func has_absent_characters() -> bool:
	return false


func check(good: bool, problem: String) -> void:
	if not good:
		problems.append(problem)


func argument(name: String, default: String = "") -> String:
	for given: String in arguments:
		if given.begins_with(name + "="):
			return given.substr(name.length() + 1)
	return default


## Waits until the condition holds, and returns [code]false[/code] if it never does. It looks before each frame and each
## physics step, of which a slow frame has many. For what happens again, such as is_playing after a loss, wait for the
## next signal: the old state may still hold.
func until(condition: Callable) -> bool:
	var end := Time.get_ticks_msec() + int(PATIENCE_S * 1000.0)
	while not condition.call():
		if Time.get_ticks_msec() > end:
			return false
		await stepped
	return true


func let_frames_pass(count: int) -> void:
	for i: int in count:
		await get_tree().process_frame


## Presses a key, and lets it go. After each, [param wait] frames pass.
func press(code: Key, wait: int = 2) -> void:
	for is_down: bool in [true, false] as Array[bool]:
		hold(code, is_down)
		await let_frames_pass(wait)


func hold(code: Key, is_down: bool) -> void:
	var key := InputEventKey.new()
	key.keycode = code
	key.physical_keycode = code
	key.pressed = is_down
	Input.parse_input_event(key)


## Does so with a button of a pad.
func press_pad(which: JoyButton, wait: int = 2) -> void:
	for is_down: bool in [true, false] as Array[bool]:
		var button := InputEventJoypadButton.new()
		button.button_index = which
		button.pressed = is_down
		button.pressure = 1.0 if is_down else 0.0
		Input.parse_input_event(button)
		await let_frames_pass(wait)


## Waits for physics steps, in which a body walks equally far on every machine. The number of frames would differ.
func let_steps_pass(count: int) -> void:
	for i: int in count:
		await get_tree().physics_frame


## Waits until an action of an agent fails. Returns the reason.
func get_failure(agent: NpcAgent) -> String:
	var reasons: Array[String] = []
	var listen := func(_action: NpcAction, reason: String) -> void: reasons.append(reason)
	agent.action_failed.connect(listen)
	await until(func() -> bool: return not reasons.is_empty())
	agent.action_failed.disconnect(listen)
	return reasons[0] if not reasons.is_empty() else ""


## Gives an agent an action that lasts long, as if the server had sent it. [param fields] are those of an Action message.
func tell(agent: NpcAgent, fields: Dictionary) -> void:
	NpcServer.action_received.emit(agent.persona_id, make_action(agent, fields))


## Makes such an action.
func make_action(agent: NpcAgent, fields: Dictionary) -> NpcAction:
	var message := {"npc_id": agent.persona_id, "sentence": "X is busy", "end_s": 200_000}
	message.merge(fields, true)
	return NpcAction.from_message(message)


## Connects a bridge to the server that the arguments name.
func connect_bridge(bridge: NpcBridge) -> void:
	var address := argument("address")
	bridge.connect_to(address if bridge.is_native() else NpcSettings.get_socket_address(address), argument("token"))
	var events: Array[Dictionary] = []
	var is_connected := func() -> bool:
		events.append_array(bridge.drain())
		return not events.is_empty()
	check(await until(is_connected) and events[0]["event"] == "connected", "The bridge does not connect: %s" % str(events))


## Opens the demo's town in the next frame.
func open_town() -> DemoTown:
	var town: DemoTown = (load("res://demo/town.tscn") as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(town)
	return town


## Waits until play has begun and the game clock has reached an hour of the day.
func play_until_hour(hour: float) -> void:
	check(await until(NpcServer.is_playing), "It never played.")
	NpcServer.time_scale = 900.0
	check(await until(func() -> bool: return fmod(NpcServer.game_time_s, 86400.0) >= hour * 3600.0), "The hour never came.")


## Lets NpcServer believe that it plays, without a server. What it sends stays in its log.
func pretend_to_play() -> void:
	NpcServer.set_process(false)
	NpcServer._session.link.state = NpcLink.State.OPEN
	NpcServer._session.play.is_open = true


func stop_pretending() -> void:
	NpcServer._session.link.state = NpcLink.State.STOPPED
	NpcServer._session.play.is_open = false
	NpcServer.set_process(true)


## Handles an event such as {"action": {…}} as if the server had sent it.
func come_down(event: Dictionary) -> void:
	NpcServer._session.play._take(event)


func _enter_tree() -> void:
	get_tree().process_frame.connect(stepped.emit)
	get_tree().physics_frame.connect(stepped.emit)


func _exit_tree() -> void:
	get_tree().process_frame.disconnect(stepped.emit)
	get_tree().physics_frame.disconnect(stepped.emit)


func _process(_delta: float) -> void:
	frames += 1
