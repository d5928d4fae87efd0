class_name NpcLastWords
## Keeps what players said just before the game ends. A line that is broken off leaves no memory, so it is told as words that the
## character heard.

## Milliseconds for which the end of the game waits for the answers.
const ANSWER_MS := 300
## Milliseconds for which it then waits until the server has stored the words.
const STORED_MS := 700
## Milliseconds between two looks.
const POLL_MS := 5


## Waits, for at most a second and only if a line has no answer yet. Nobody sees a frame after this.
static func keep(server: NpcServerNode, link: NpcLink, play: NpcPlay, talk: NpcTalk) -> void:
	if OS.has_feature("web"):
		return  # a browser sends nothing while the game waits
	if talk.get_unanswered().is_empty() or link.state != NpcLink.State.OPEN or not play.is_open or play.paused:
		return
	_wait(link, ANSWER_MS, func() -> bool: return talk.get_unanswered().is_empty())
	for line: Dictionary in talk.get_unanswered():
		server.perceive(str(line["npc_id"]), "speech", str(line["speaker"]), str(line["text"]), "")
	play.flush()
	_wait(link, STORED_MS, func() -> bool: return play.log.count_unstored() == 0)


static func _wait(link: NpcLink, most_ms: int, until: Callable) -> void:
	var end := Time.get_ticks_msec() + most_ms
	while link.state == NpcLink.State.OPEN and not until.call() and Time.get_ticks_msec() < end:
		OS.delay_msec(POLL_MS)
		link.poll()
