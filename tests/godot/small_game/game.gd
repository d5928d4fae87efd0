extends Node
## A game of one scene. It does what its arguments say and prints the results. [code]address=[/code] and
## [code]token=[/code] name a running server, and [code]npc/…=[/code] is a project setting.

const PATIENCE_S := 180.0

var _said: Dictionary = {"failed": [], "refused": [], "loaded": [], "changes": [], "applied": [], "people": [], "town_time": 0}


func _ready() -> void:
	for given: String in OS.get_cmdline_user_args():
		if given.begins_with("npc/"):
			ProjectSettings.set_setting(given.get_slice("=", 0), given.get_slice("=", 1))
	if _argument("register") == "yes":
		NpcSettings.register()
	_said["apply_changes"] = ProjectSettings.get_setting(NpcSettings.APPLY_CHANGES, "")
	NpcServer.auto_clock = false
	NpcServer.failed.connect(func(error: NpcError) -> void: _hear("failed", [error.reason, error.message]))
	NpcServer.save_refused.connect(func(slot: String, error: NpcError) -> void: _hear("refused", [slot, error.reason]))
	NpcServer.loaded.connect(func(slot: String) -> void: _hear("loaded", slot))
	NpcServer.files_changed.connect(func(changes: PackedStringArray) -> void: _hear("changes", changes))
	NpcServer.files_applied.connect(func(changes: PackedStringArray) -> void: _hear("applied", changes))
	NpcServer.start(_argument("address"), _argument("token"))
	await _until(func() -> bool: return NpcServer.is_playing() or not (_said["failed"] as Array).is_empty())
	if _argument("new_game") == "yes":
		await NpcServer.new_game().done()
		await _until(func() -> bool: return NpcServer.is_playing() or NpcServer.state == NpcServer.State.STOPPED)
	if NpcServer.is_playing():
		await _play()
	await _take_picture()
	print("RESULT ", JSON.stringify(_said))
	NpcServer.stop()
	get_tree().quit()


func _play() -> void:
	_said["people"] = NpcServer.npc_ids
	_said["town_time"] = int(NpcServer.game_time_s)
	var person := NpcServer.npc_ids[0]
	if not _argument("edit").is_empty():
		var file := FileAccess.open(_argument("edit"), FileAccess.READ_WRITE)
		var text := file.get_as_text().replace("age: 52", "age: " + (_argument("age") if not _argument("age").is_empty() else "53"))
		file.seek(0)
		file.store_string(text)
		file.close()
		await _until(func() -> bool: return not (_said["changes"] as Array).is_empty() or not (_said["failed"] as Array).is_empty())
	if _argument("apply") == "yes":
		await NpcServer.apply_persona_changes().done()
	if not _argument("until").is_empty():
		await _until(func() -> bool: return not (_said[_argument("until")] as Array).is_empty())
	if not _argument("say").is_empty():
		var reply := NpcServer.say(person, "Robin", _argument("say"))
		await reply.done()
		_said["answer"] = reply.text
	if _argument("again") == "yes":
		var pid := NpcServer.get_server_pid()
		NpcServer.start(_argument("address"), _argument("token"))
		_said["same_server"] = NpcServer.is_playing() and NpcServer.get_server_pid() == pid
	if _argument("anew") == "yes":
		_said["anew"] = await NpcServer.new_game(_argument("slot")).done()
		await _until(NpcServer.is_playing)
		_said["slot"] = NpcServer.slot
	if _argument("look") == "yes":
		_said["mapped"] = {"game": _mapped(OS.get_process_id()), "server": _mapped(NpcServer.get_server_pid())}
	var memories := NpcServer.call_server("MindService/ListMemories", {"npc_id": person, "page_size": 100})
	await memories.done()
	_said["memories"] = JSON.stringify(memories.response)
	await NpcServer.save_game().done()


## Returns the paths of all files that a process has mapped or open now.
func _mapped(pid: int) -> Array[String]:
	var output: Array = []
	OS.execute("cat", ["/proc/%d/maps" % pid], output)
	OS.execute("ls", ["-l", "/proc/%d/fd" % pid], output)
	var paths: Array[String] = []
	for line: String in "\n".join(output).split("\n"):
		var at := line.find(" /")
		if at >= 0 and not line.substr(at + 1) in paths:
			paths.append(line.substr(at + 1))
	return paths


## Takes a picture of what a player would see: the game, who lives there, and what was said.
func _take_picture() -> void:
	var file := OS.get_environment("NPC_TEST_PICTURE")
	if file.is_empty():
		return
	var words := Label.new()
	words.position = Vector2(40, 40)
	words.add_theme_font_size_override(&"font_size", 28)
	var game := str(ProjectSettings.get_setting("application/config/name"))
	words.text = "%s\nSlot: %s\nPeople: %s\nAnswer: %s" % [game, NpcServer.slot, ", ".join(NpcServer.npc_ids), _said.get("answer", "")]
	add_child(words)
	await get_tree().process_frame
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png(file)


func _hear(what: String, value: Variant) -> void:
	(_said[what] as Array).append(value)


func _until(condition: Callable) -> void:
	var left := PATIENCE_S
	while left > 0.0 and not condition.call():
		left -= get_process_delta_time()
		await get_tree().process_frame


func _argument(called: String) -> String:
	for given: String in OS.get_cmdline_user_args():
		if given.begins_with(called + "="):
			return given.trim_prefix(called + "=")
	return ""
