extends NpcTestCase
## Lines of talks in a game that changes its mind meanwhile. The clock of the lines is moved by hand.

var lines := NpcLines.new()
var shown: PackedStringArray = []


func run() -> void:
	lines.shown.connect(func(_npc: String, text: String, _to: PackedStringArray, _partial: bool) -> void: shown.append(text))
	_read_faster()
	_take_any_speed()
	_break_off()
	_talk_again()
	_stop_in_a_line()
	_stop_the_game()
	NpcServer.set_process(true)


## Another speed holds for the lines that wait, too, and none overtakes another.
func _read_faster() -> void:
	lines.reading_speed = 0.001
	_say("mara", "One.")
	_say("tobin", "Two.")
	lines.step(60.0)
	_check(["One."], "A slow reader")
	lines.reading_speed = 20.0
	lines.step(0.0)
	_check(["Two."], "A faster reader")
	_say("mara", "Three.")
	lines.reading_speed = 0.0
	_say("tobin", "Four.")
	_check(["Three.", "Four."], "Who does not wait")
	lines.step(0.1)
	check(not lines.is_talking("mara"), "The talk goes on without lines.")
	lines.reading_speed = 20.0


## A speed that is none counts as 0, and the developer is told.
func _take_any_speed() -> void:
	for speed: float in [-1.0, NAN]:
		NpcServer.reading_speed = speed
		check(NpcServer.reading_speed == 0.0, "A reading speed of %s is %s." % [speed, NpcServer.reading_speed])
	NpcServer.reading_speed = INF
	check(NpcServer.reading_speed == INF, "One may read at once.")
	NpcServer.reading_speed = 20.0


## A line that was broken off never becomes whole. Nobody waits for it for ever.
func _break_off() -> void:
	_say("mara", "I have", true)
	lines.step(3.0)
	check(lines.is_talking("mara"), "The talk ends in the middle of a line.")
	_say("mara", "I have seen", true)
	lines.step(NpcLines.BROKEN_OFF_S - 1.0)
	check(lines.is_talking("mara"), "A slow line is taken for one that was broken off.")
	lines.step(2.0)
	check(not lines.is_talking("mara"), "Everybody waits for a line that was broken off.")
	_check(["I have", "I have seen"], "Of a line that was broken off")


## The same two talk again while lines of their first talk wait: all come in order, also one that repeats.
func _talk_again() -> void:
	for text: String in ["Hello.", "Hello.", "", "Hello."] as Array[String]:
		_say("mara", text)
	for i: int in 4:
		lines.step(2.0)
	_check(["Hello.", "Hello.", "", "Hello."], "Of lines that repeat")
	lines.step(2.0)


## Who handles a line may end everything. No line comes after that.
func _stop_in_a_line() -> void:
	for people: Array in [["mara", "tobin"], ["ines", "otto"]]:
		for text: String in ["First", "Second"] as Array[String]:
			lines.take(
				people[0] as String, text, PackedStringArray([people[1]]), false, PackedStringArray(["mara", "tobin", "ines", "otto"])
			)
	_check(["First", "First"], "Before the end")
	var end := func(_npc: String, _text: String, _to: PackedStringArray, _partial: bool) -> void: lines.forget()
	lines.shown.connect(end)
	lines.reading_speed = 0.0
	lines.step(60.0)
	lines.shown.disconnect(end)
	_check(["Second"], "After the end")
	lines.reading_speed = 20.0


## What waits when the game is stopped, or another slot is begun, belongs to the play that is over.
func _stop_the_game() -> void:
	NpcServer.set_process(false)
	NpcServer.npc_ids = ["mara", "tobin"]
	NpcServer.line_shown.connect(lines.shown.emit)
	for i: int in 2:
		NpcServer.speech_received.emit("mara", "Good morning.", PackedStringArray(["tobin"]), false)
		NpcServer.speech_received.emit("tobin", "Is it?", PackedStringArray(["mara"]), false)
		if i == 0:
			NpcServer.stop()
		else:
			NpcServer.start("127.0.0.1:1", "", "another")
		NpcServer._lines.step(60.0)
		_check(["Good morning."], "After stop() or start()")
		NpcServer.npc_ids = ["mara", "tobin"]
	NpcServer.stop()


func _say(npc_id: String, text: String, partial: bool = false) -> void:
	var to := PackedStringArray(["tobin" if npc_id == "mara" else "mara"])
	lines.take(npc_id, text, to, partial, PackedStringArray(["mara", "tobin"]))


func _check(wanted: Array, called: String) -> void:
	check(Array(shown) == wanted, "%s: %s" % [called, str(shown)])
	shown.clear()
