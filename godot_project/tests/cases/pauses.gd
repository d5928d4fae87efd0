extends NpcTestCase
## How long the link waits before each attempt, while none succeeds and after one has.


func run() -> void:
	var link := NpcLink.new()
	var passing := NpcError.make("UNAVAILABLE", "NO_SERVER", "Nobody is there.")
	var lost: Array[int] = [0]
	link.lost.connect(func(_error: NpcError) -> void: lost[0] += 1)
	var pauses: Array[float] = []
	for i: int in 12:
		pauses.append(link._pause_s)
		link.state = NpcLink.State.CONNECTING
		link.lose(passing)
	check(lost[0] == 12, "%d of 12 losses were told." % lost[0])
	link.reset_pause()
	result = {"pauses": pauses, "after": link._pause_s}
	link.state = NpcLink.State.CONNECTING
	var given_up: Array[String] = []
	link.gave_up.connect(func(error: NpcError) -> void: given_up.append(error.reason))
	link.lose(NpcError.make("FAILED_PRECONDITION", "SERVER_NOT_STARTED", "A setting is wrong."))
	check(given_up == ["SERVER_NOT_STARTED"] and link.state == NpcLink.State.STOPPED, "What somebody must mend is tried again.")
