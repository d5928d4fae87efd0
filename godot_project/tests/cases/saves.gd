extends NpcTestCase
## Saving, playing on, and loading: the minds' time goes back, and play continues from there.


func run() -> void:
	var saved: Array[String] = []
	var loaded: Array[String] = []
	var errors: Array[String] = []
	NpcServer.auto_clock = false
	NpcServer.saved.connect(func(slot: String) -> void: saved.append(slot))
	NpcServer.loaded.connect(func(slot: String) -> void: loaded.append(slot))
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(str(error)))
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	var start := NpcServer.game_time_s
	NpcServer.advance_clock(int(start) + 600)
	for i: int in 5:
		NpcServer.perceive("mara_voss", "event", "", "Before number %d" % i, "millbrook:lane:square")
	NpcServer.save_game("evening")
	check(await until(func() -> bool: return not saved.is_empty()), "It was never saved: %s" % str(errors))
	NpcServer.advance_clock(int(start) + 7200)
	for i: int in 5:
		NpcServer.perceive("mara_voss", "event", "", "After number %d" % i, "millbrook:lane:square")
	check(await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "Not all was stored.")
	NpcServer.load_game("evening")
	check(await until(func() -> bool: return not loaded.is_empty()), "It was never loaded: %s" % str(errors))
	var time_after_load := NpcServer.game_time_s - start
	NpcServer.perceive("mara_voss", "event", "", "Again number 0", "millbrook:lane:square")
	check(await until(func() -> bool: return NpcServer._log.count_unstored() == 0), "Nothing was stored after loading: %s" % str(errors))
	var listed := NpcServer.call_server("SaveService/ListSaves", {})
	var slots: Array[String] = []
	check(await listed.done(), "No list of saves: %s" % str(errors))
	for save: Dictionary in listed.response["saves"] as Array:
		slots.append(str(save["slot"]))
	slots.sort()
	result = {"saved": saved, "loaded": loaded, "errors": errors, "seq": NpcServer._log.last_seq, "time": time_after_load, "slots": slots}
