class_name NpcChangedFiles
extends RefCounted
## Applies changed persona, town and mod files if [constant NpcSettings.APPLY_CHANGES] says so. What is not applied it
## prints as a warning, with the file and the reason.

## What to do if changes are to count.
const HOW := 'To apply changes, set the project setting %s to "on", or call NpcServer.apply_persona_changes(). Memories are kept.'

var _server: NpcServerNode
## How many requests to apply files there were.
var _asked: int = 0
## What was printed. It is printed again only after files were applied.
var _told: Dictionary[String, bool] = {}


func _init(server: NpcServerNode) -> void:
	_server = server


## Takes the changes that the server tells when it opens a save.
func take(changes: Array) -> void:
	_apply_or_tell(NpcSaves.get_summaries(changes), changes)


## Takes what the server tells of files while the game runs.
func take_notice(kind: String, value: Dictionary) -> void:
	var message := str(value.get("message", ""))
	if kind != "notice":
		return
	if value.get("reason") == "BAD_FILE":
		_server.failed.emit(NpcError.make("INVALID_ARGUMENT", "BAD_FILE", message))
		push_warning(message if NpcSettings.applies_changes() else "%s %s" % [message, HOW % NpcSettings.APPLY_CHANGES])
	elif value.get("reason") == "FILES_CHANGED":
		_apply_or_tell([message], [])


## Prints what a request to apply files leaves out, once it has ended.
func report(request: NpcRequest) -> void:
	_asked += 1
	var ended := func() -> void: _on_applied(request)
	request.finished.connect(ended, CONNECT_ONE_SHOT)


func _on_applied(request: NpcRequest) -> void:
	if request.error == null:
		if not NpcSaves.get_summaries(request.response.get("changes", [])).is_empty():
			_told.clear()
		for warning: Variant in request.response.get("warnings", []) as Array:
			_tell(str(warning))
	elif request.error.reason not in NpcLink.REPORTED_ONCE:
		_tell("%s No changed file is applied until this is fixed, and the game plays the files of the save." % request.error.message)


## Does nothing if the game applies the changes as soon as it hears of them.
func _apply_or_tell(summaries: PackedStringArray, changes: Array) -> void:
	var before := _asked
	_server.files_changed.emit(summaries)
	if _asked > before:
		return
	if not NpcSettings.applies_changes():
		var message := "The game plays the files of the save, which are not those of the project. %s %s"
		_tell(message % [" ".join(summaries), HOW % NpcSettings.APPLY_CHANGES])
		return
	var request := _server.apply_persona_changes()
	var ended := func() -> void: _tell_left_out(changes, request)
	request.finished.connect(ended, CONNECT_ONE_SHOT)


## A file of a mod with a mistake is left out, whatever else is applied. If nothing is, the response does not mention it.
func _tell_left_out(changes: Array, request: NpcRequest) -> void:
	if request.error != null or not NpcSaves.get_summaries(request.response.get("changes", [])).is_empty():
		return
	for change: Dictionary in changes:
		if str(change.get("file", "")).begins_with(NpcFiles.IN_MODS) and str(change.get("npc_id", "")).is_empty():
			_tell(str(change.get("summary", "")))


func _tell(message: String) -> void:
	if not _told.has(message):
		_told[message] = true
		push_warning(message)
