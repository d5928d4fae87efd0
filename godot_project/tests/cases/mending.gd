extends NpcTestCase
## The game plants knowledge and takes it away again, edits a memory, and keeps somebody out of a scene.

const MARA := "mara_voss"
const DEAD := "The old king is dead."


func run() -> void:
	var failures: Array[String] = []
	NpcServer.failed.connect(func(error: NpcError) -> void: failures.append(error.reason))
	NpcServer.auto_clock = false
	NpcServer.start()
	var early := NpcServer.memories.add(DEAD, {"everybody": true}, {"key": "king_dead", "importance": 9})
	check(await early.done(), "What was asked for before play began was lost.")
	var made: Array = early.response.get("memories", [])
	result["people"] = made.map(func(memory: Dictionary) -> String: return memory["npc_id"])
	var id: int = made[0]["id"]
	var npc_id: String = made[0]["npc_id"]
	var edited := NpcServer.memories.edit(npc_id, id, "The old king is ill.", 0, "modder")
	check(await edited.done(), "The memory was not edited.")
	check(edited.response["memory"]["id"] == id, "It has another id.")
	check(await NpcServer.save_game().done(), "It was not saved.")
	check(await NpcServer.memories.delete_key("king_dead").done(), "The key was not deleted.")
	result["after_quest"] = await count_of("king")
	var again := NpcServer.memories.delete(npc_id, id)
	check(not await again.done(), "A memory was deleted twice.")
	result["twice"] = again.error.reason
	await NpcServer.load_game().done()
	result["after_load"] = await count_of("king")
	var changes := NpcServer.memories.get_changes(npc_id)
	await changes.done()
	result["history"] = (changes.response["changes"] as Array).map(func(change: Dictionary) -> String: return change["by"])
	await be_kept_out_of_a_scene()
	result["failures"] = failures


func be_kept_out_of_a_scene() -> void:
	NpcServer.restraints.set_silent(MARA, true)
	var said := NpcServer.say(MARA, "Robin", "Where is the crown?")
	check(await said.done() and said.text.is_empty(), "She was to be silent, and said: %s" % said.text)
	NpcServer.restraints.set_silent(MARA, false)
	NpcServer.restraints.set_unaware(MARA, true, 600.0)
	NpcServer.perceive(MARA, "event", "", "A ghost walks by", "")
	NpcServer.advance_clock(floori(NpcServer.game_time_s) + 700, true)
	await NpcServer.settled
	result["ghosts"] = await count_of("ghost")
	said = NpcServer.say(MARA, "Robin", "Hello, Mara!")
	check(await said.done() and not said.text.is_empty(), "She did not speak again.")


## Returns how many of the latest memories of [constant MARA] speak of something.
func count_of(word: String) -> int:
	var request := NpcServer.call_server("MindService/ListMemories", {"npc_id": MARA, "page_size": 1000})
	await request.done()
	var found: Array = request.response.get("memories", [])
	return found.filter(func(memory: Dictionary) -> bool: return word in (memory["text"] as String)).size()
