class_name NpcTestCase
extends Node
## One test: run() checks, and fills result for pytest.

## Emitted before each frame and before each step of physics.
signal stepped

## A wait ends here that would not end by itself. No machine is so busy: how long anything takes is no part of a test.
const PATIENCE_S := 180.0

## What was given after the case's name.
var arguments: PackedStringArray = []
## For pytest, as JSON.
var result: Dictionary = {}
## What was found wrong; the exit code is 1 when there is any.
var problems: PackedStringArray = []
## Frames since the case began.
var frames: int = 0


func run() -> void:
	problems.append("The case has no run().")


## Whether people without a body live on in this case.
func has_absent_people() -> bool:
	return false


func check(good: bool, problem: String) -> void:
	if not good:
		problems.append(problem)


func argument(name: String, default: String = "") -> String:
	for given: String in arguments:
		if given.begins_with(name + "="):
			return given.substr(name.length() + 1)
	return default


## Waits until the condition holds, and looks before each frame and each step of physics, of which a slow frame has many; false when it
## never held. For what happens again, such as is_playing after a loss, wait for the next signal: the old state may still stand.
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


## In so many steps a body walks as far on every machine; how many frames that takes depends on it.
func let_steps_pass(count: int) -> void:
	for i: int in count:
		await get_tree().physics_frame


## NpcServer as if it played, without a server: what it is told stays in its log.
func pretend_to_play() -> void:
	NpcServer.set_process(false)
	NpcServer._session.link.state = NpcLink.State.OPEN
	NpcServer._session.play.is_open = true


func stop_pretending() -> void:
	NpcServer._session.link.state = NpcLink.State.STOPPED
	NpcServer._session.play.is_open = false
	NpcServer.set_process(true)


## As if the server had sent this: {"action": {…}}.
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
