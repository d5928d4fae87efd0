class_name NpcSaves
extends RefCounted
## Opens or creates the save, and saves, loads and replaces it. Applies changed files.

## Emitted when the save is open.
signal opened(session: String, at_epoch: int)
## Emitted for each warning about the game's files, which the author should read.
signal warned(message: String)
## Emitted when the slot holds the save of another game or town. The save stays as it is.
signal refused(error: NpcError)
## Emitted when persona or town files differ from those of the save. Each change has the fields of FileChange.
signal files_changed(changes: Array)
## Emitted when a slot was loaded or a new game began.
signal replaced(slot: String, at_epoch: int, now_s: float)

## Reasons after which the slot is left alone.
const REFUSED: Array[String] = ["SAVE_OF_ANOTHER_GAME", "SAVE_OF_ANOTHER_TOWN"]

## The slot to open.
var slot: String = ""
## The id of the session; empty while none is open.
var session: String = ""
## The ids of the characters in the open save.
var npc_ids: PackedStringArray = []
## The name of the server's language model; empty without one.
var model: String = ""

var _link: NpcLink
var _new_game: NpcRequest = null
var _was_made: bool = false


func _init(link: NpcLink) -> void:
	_link = link


## Opens the slot, or creates it if there is none. Continues in [param resume_epoch] if the server still has it.
func open(resume_epoch: int) -> void:
	session = ""
	_was_made = false
	if _new_game != null:
		_create(true)
		return
	_open(resume_epoch)


## Forgets the session. The server keeps what was not saved.
func forget() -> void:
	session = ""


## Fails a new game that waits for the server.
func fail(error: NpcError) -> void:
	if _new_game != null:
		_new_game.fail(error)
	_new_game = null


## Saves the session to a slot.
func save_to(to_slot: String, request: NpcRequest, on_failed: Callable) -> void:
	_link.call_unary("SaveService/SaveGame", {"slot": to_slot}, request.complete, on_failed, {"session_id": session})


## Replaces the session by a slot.
func load_from(from_slot: String, request: NpcRequest, on_failed: Callable) -> void:
	var done := func(response: Dictionary) -> void:
		var save: Dictionary = response.get("save", {})
		replaced.emit(from_slot if not from_slot.is_empty() else slot, response.get("epoch", 0) as int, save.get("game_time_s", 0) as float)
		request.complete(response)
	_link.call_unary("SaveService/LoadGame", {"slot": from_slot}, done, on_failed, {"session_id": session})


## Lets the next [method open] create the slot from the files, in place of what it holds.
func replace_on_open(in_slot: String, request: NpcRequest) -> void:
	slot = in_slot
	_new_game = request


## Ends the session without saving, then calls [param then].
func close(then: Callable, on_failed: Callable) -> void:
	var ended := func(_response: Dictionary) -> void: then.call()
	_link.call_unary("SaveService/CloseSave", {"session_id": session, "save": false}, ended, on_failed)


## Applies the current files. All memories stay.
func apply_files(request: NpcRequest, on_failed: Callable) -> void:
	var wrong := NpcFiles.find_problem()
	if wrong != null:
		on_failed.call(wrong)
		return
	var done := func(response: Dictionary) -> void:
		npc_ids = PackedStringArray(response.get("npc_ids", npc_ids) as Array)
		for warning: Variant in response.get("warnings", []) as Array:
			warned.emit(str(warning))
		request.complete(response)
	_link.call_unary("SaveService/ApplyFiles", NpcFiles.make_request(), done, on_failed, {"session_id": session})


## Returns the changes as sentences.
static func get_summaries(changes: Variant) -> PackedStringArray:
	var found: PackedStringArray = []
	for change: Variant in changes as Array:
		found.append(str((change as Dictionary).get("summary", "")))
	return found


func _open(resume_epoch: int) -> void:
	var request := NpcFiles.make_request()
	request.merge({"slot": slot, "resume_epoch": resume_epoch, "game": NpcSettings.get_game_id()})
	_link.call_unary("SaveService/OpenSave", request, _on_opened, _on_not_opened)


func _on_opened(response: Dictionary) -> void:
	session = str(response.get("session_id", ""))
	npc_ids = PackedStringArray(response.get("npc_ids", []) as Array)
	model = str(response.get("model", ""))
	var at_epoch: int = response.get("epoch", 0)
	if _new_game != null and _was_made:
		var save: Dictionary = response.get("save", {})
		replaced.emit(slot, at_epoch, save.get("game_time_s", 0) as float)
		_new_game.complete(response)
		_new_game = null
	opened.emit(session, at_epoch)
	var changes: Array = response.get("changes", [])
	if not changes.is_empty():
		files_changed.emit(changes)


func _on_not_opened(error: NpcError) -> void:
	if error.reason == "SAVE_NOT_FOUND" and not _was_made:
		_create(false)
	elif error.reason in REFUSED:
		_link.give_up(error)
		refused.emit(error)
	else:
		_link.lose(error)


func _create(replace: bool) -> void:
	var wrong := NpcFiles.find_problem()
	if wrong != null:
		_link.give_up(wrong)
		return
	var policies: Variant = NpcFiles.make_document(NpcSettings.get_text(NpcSettings.POLICIES))
	var request := NpcFiles.make_request()
	(
		request
		. merge(
			{
				"slot": slot,
				"seed": NpcSettings.get_int(NpcSettings.SEED),
				"policies": [] if policies == null else [policies],
				"game": NpcSettings.get_game_id(),
				"replace": replace,
			}
		)
	)
	_link.call_unary("SaveService/CreateSave", request, _on_created, _on_not_opened)


func _on_created(response: Dictionary) -> void:
	for warning: Variant in response.get("warnings", []) as Array:
		warned.emit(str(warning))
	_was_made = true
	_open(0)
