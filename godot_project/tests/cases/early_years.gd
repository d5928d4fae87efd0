extends NpcTestCase
## Game time before 1970 is negative: the clock takes it, and the demo writes it as a date.

const CASTLE := -19_804_500_000


func run() -> void:
	var clock := NpcClock.new()
	clock.mark_sent(CASTLE)
	check(clock.now_s == float(CASTLE), "The first time of a game is not taken: %s" % clock.now_s)
	clock.set_time(CASTLE + 0.5)
	check(not clock.advance(0.1), "Six game seconds are less than a minute.")
	check(clock.advance(1.0), "The server is told after a minute.")
	check(floori(clock.now_s) == CASTLE + 66, "Time does not go on: %s" % clock.now_s)
	clock.mark_sent(CASTLE)
	check(floori(clock.now_s) == CASTLE + 66, "Time goes back: %s" % clock.now_s)
	result["clock"] = DemoHud.get_clock_text(CASTLE)
	result["date"] = DemoHud.get_date_text(CASTLE)
