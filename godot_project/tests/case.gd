class_name NpcTestCase
extends Node
## One test: run() checks, and fills result for pytest.

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


## Waits frame by frame until the condition holds; false when it did not within the time.
func until(condition: Callable, seconds: float = 20.0) -> bool:
	var end := Time.get_ticks_msec() + int(seconds * 1000.0)
	while not condition.call():
		if Time.get_ticks_msec() > end:
			return false
		await get_tree().process_frame
	return true


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


func _process(_delta: float) -> void:
	frames += 1
