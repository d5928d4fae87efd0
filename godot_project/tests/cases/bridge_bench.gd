extends NpcTestCase
## What the bridge costs the main thread per frame: agents=N, frames=N. Measured idle, in normal play, and with all
## events at once.


func run() -> void:
	var agents := int(argument("agents", "25"))
	var count := int(argument("frames", "600"))
	Engine.max_fps = 60
	NpcServer.auto_clock = true
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played.")
	var ids := NpcServer.npc_ids
	check(ids.size() == agents, "The save has %d people, not %d." % [ids.size(), agents])
	if ids.size() == agents:
		result["idle"] = await _measure(ids, count, 0)
		# A look around every half second, with something new in each.
		result["as_played"] = await _measure(ids, count, 30)
		@warning_ignore("integer_division")
		result["all_at_once"] = await _measure(ids, count / 5, 1)
	result["godot"] = Engine.get_version_info()["string"]
	result["events"] = NpcServer._log.last_seq


## Returns the microseconds of each frame, sorted. Each agent reports something every [param every] frames; 0 for never.
func _measure(ids: PackedStringArray, count: int, every: int) -> Array[int]:
	var costs: Array[int] = []
	for frame: int in count:
		var before := Time.get_ticks_usec()
		for i: int in ids.size():
			if every > 0 and (frame + i) % every == 0:
				NpcServer.perceive(ids[i], "event", "", "Bell number %d rings" % (frame * 31 + i), "millbrook:lane:square", 3.0)
		var told := Time.get_ticks_usec() - before
		await get_tree().process_frame
		costs.append(told + NpcServer.frame_cost_usec)
	costs.sort()
	return costs
