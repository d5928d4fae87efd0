extends NpcTestCase
## Perceptions go on while the connection is cut again and again: cuts=N, every=FRAMES between two events of a character,
## and minutes=N at least. Each must be stored once. With line_every=FRAMES the player says something to one after the other,
## and each line must be answered.

## Frames without a loss after which no more is expected.
const QUIET := 600

var _connections: int = 0
var _losses: int = 0
var _replies: Array[NpcReply] = []


func run() -> void:
	var cuts := int(argument("cuts", "20"))
	var every := int(argument("every", "10"))
	var line_every := int(argument("line_every", "0"))
	Engine.max_fps = int(argument("fps", "0"))
	var place := argument("place", "town:square")
	var until_ms := Time.get_ticks_msec() + int(60_000 * float(argument("minutes", "0")))
	var slowest := 0
	NpcServer.auto_clock = false
	NpcServer.connected.connect(func() -> void: _connections += 1)
	NpcServer.disconnected.connect(func(_reason: String) -> void: _losses += 1)
	NpcServer.start(argument("address"), argument("token"))
	check(await until(NpcServer.is_playing), "Never connected.")
	var ids := NpcServer.npc_ids
	var told := 0
	var quiet := 0
	# The last cut leaves a connection that lives.
	while quiet < QUIET or Time.get_ticks_msec() < until_ms:
		var before := Time.get_ticks_usec()
		for i: int in ids.size():
			if (frames + i) % every == 0:
				NpcServer.perceive(ids[i], "event", "", "Event number %d happens" % told, place)
				told += 1
		if line_every > 0 and frames % line_every == 0:
			_say(ids)
		slowest = maxi(slowest, Time.get_ticks_usec() - before)
		var was := _connections
		await get_tree().process_frame
		slowest = maxi(slowest, NpcServer.frame_cost_usec)
		quiet = quiet + 1 if NpcServer.is_playing() and was == _connections else 0
	check(await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "Not all was stored.")
	_say(ids)
	var answered := 0
	for reply: NpcReply in _replies:
		answered += int(await reply.done())
		check(reply.error == null, "A line is not answered: %s" % reply.error)
	result = {
		"told": told, "last": NpcServer._log.last_stored_seq, "losses": _losses, "cuts": cuts, "slowest_us": slowest, "frames": frames
	}
	result.merge({"said": _replies.size(), "answered": answered})


func _say(ids: PackedStringArray) -> void:
	_replies.append(NpcServer.say(ids[_replies.size() % ids.size()], "Zoë", "Hello?"))
