class_name NpcRoutineWriter
## Writes [constant NpcRoutineFile.PATH] with npc-server, because Godot reads no YAML. The editor does this before it runs or exports
## the game. Keep the file with the project: whoever has no npc-server then has routines, too.


## Returns the command; empty without an npc-server, or without the files of town and personas.
static func get_command() -> PackedStringArray:
	var program := NpcProgram.find()
	var town := NpcSettings.get_text(NpcSettings.TOWN)
	var folder := NpcSettings.get_text(NpcSettings.PERSONAS)
	if not program.is_found() or not FileAccess.file_exists(town) or not DirAccess.dir_exists_absolute(folder):
		return []
	var paths := [folder, town, NpcRoutineFile.PATH].map(func(path: String) -> String: return ProjectSettings.globalize_path(path))
	return program.words + PackedStringArray(["persona", "routines", paths[0], "--town", paths[1], "--out", paths[2]])


## Returns [code]true[/code] if there is no file yet, or one that is older than the files of town and personas.
static func is_due() -> bool:
	var written := FileAccess.get_modified_time(NpcRoutineFile.PATH) if FileAccess.file_exists(NpcRoutineFile.PATH) else 0
	for path: String in NpcFiles.list_named():
		if FileAccess.get_modified_time(path) > written:
			return true
	return false


## Begins to write the file if it is due. Nobody waits for it.
static func begin() -> void:
	var command := get_command() if is_due() else PackedStringArray()
	if not command.is_empty():
		OS.create_process(command[0], command.slice(1))


## Writes the file if it is due, and waits for it. Returns what is wrong; empty if nothing is.
static func write() -> String:
	if not is_due():
		return ""
	var command := get_command()
	if command.is_empty():
		return "" if FileAccess.file_exists(NpcRoutineFile.PATH) else "There is no %s and no npc-server to write it." % NpcRoutineFile.PATH
	var output: Array = []
	var code := OS.execute(command[0], command.slice(1), output, true)
	return "" if code == 0 else "\n".join(output).strip_edges().trim_prefix("npc-server: ")
