class_name NpcSaves
extends RefCounted
## The open save: opens it or makes it, and saves, loads, begins anew, and takes changed files over.

## The save is open as this session.
signal opened(session: String, at_epoch: int)
## A new save was made, and its author should know this.
signal warned(message: String)
## The slot holds another game's or another town's save; it is left alone.
signal refused(error: NpcError)
## Persona or town files differ from those that the save was made from.
signal files_changed(changes: PackedStringArray)
## Another past counts from now on: a slot was loaded, or a new game began.
signal replaced(slot: String, at_epoch: int, now_s: float)

const ANOTHERS: Array[String] = ["SAVE_OF_ANOTHER_GAME", "SAVE_OF_ANOTHER_TOWN"]

var slot: String = ""
var session: String = ""
## Ids of the people in the open save.
var npc_ids: PackedStringArray = []

var _link: NpcLink
var _anew: NpcRequest = null
var _was_made: bool = false


func _init(link: NpcLink) -> void:
	_link = link


## Opens the slot, at its own epoch where the server still has it; makes it when there is none.
func open(resume_epoch: int) -> void:
	session = ""
	_was_made = false
	if _anew != null:
		_create(true)
		return
	_open(resume_epoch)


## Forgets the session; the server keeps what was not saved.
func forget() -> void:
	session = ""


## A new game that waited for the server does not come any more.
func fail(error: NpcError) -> void:
	if _anew != null:
		_anew.fail(error)
	_anew = null


## Writes what the minds hold to a slot.
func save_to(to_slot: String, request: NpcRequest, on_failed: Callable) -> void:
	_link.call_unary("SaveService/SaveGame", {"slot": to_slot}, request.complete, on_failed, {"session_id": session})


## Replaces what the minds hold by a slot.
func load_from(from_slot: String, request: NpcRequest, on_failed: Callable) -> void:
	var done := func(response: Dictionary) -> void:
		var save: Dictionary = response.get("save", {})
		replaced.emit(
			from_slot if not from_slot.is_empty() else slot, int(str(response.get("epoch", 0))), float(str(save.get("game_time_s", 0)))
		)
		request.complete(response)
	_link.call_unary("SaveService/LoadGame", {"slot": from_slot}, done, on_failed, {"session_id": session})


## The next opening makes the slot anew from the files, in place of what it holds.
func begin_anew(in_slot: String, request: NpcRequest) -> void:
	slot = in_slot
	_anew = request


## Ends the session without saving; then [param then] is called.
func close(then: Callable, on_failed: Callable) -> void:
	var ended := func(_response: Dictionary) -> void: then.call()
	_link.call_unary("SaveService/CloseSave", {"session_id": session, "save": false}, ended, on_failed)


## Takes the files over as they are now; what was lived stays.
func apply_files(request: NpcRequest, on_failed: Callable) -> void:
	var wrong := NpcFiles.why_not()
	if wrong != null:
		on_failed.call(wrong)
		return
	var done := func(response: Dictionary) -> void:
		npc_ids = PackedStringArray(response.get("npc_ids", npc_ids) as Array)
		for warning: Variant in response.get("warnings", []) as Array:
			warned.emit(str(warning))
		request.complete(response)
	_link.call_unary("SaveService/ApplyFiles", NpcFiles.as_request(), done, on_failed, {"session_id": session})


## What changed, as sentences.
static func summaries(changes: Variant) -> PackedStringArray:
	var found: PackedStringArray = []
	for change: Variant in changes as Array:
		found.append(str((change as Dictionary).get("summary", "")))
	return found


func _open(resume_epoch: int) -> void:
	var request := NpcFiles.as_request()
	request.merge({"slot": slot, "resume_epoch": resume_epoch, "game": NpcSettings.game()})
	_link.call_unary("SaveService/OpenSave", request, _on_opened, _on_not_opened)


func _on_opened(response: Dictionary) -> void:
	session = str(response.get("session_id", ""))
	npc_ids = PackedStringArray(response.get("npc_ids", []) as Array)
	var at_epoch := int(str(response.get("epoch", 0)))
	if _anew != null and _was_made:
		var save: Dictionary = response.get("save", {})
		replaced.emit(slot, at_epoch, float(str(save.get("game_time_s", 0))))
		_anew.complete(response)
		_anew = null
	opened.emit(session, at_epoch)
	var changes := summaries(response.get("changes", []))
	if not changes.is_empty():
		files_changed.emit(changes)


func _on_not_opened(error: NpcError) -> void:
	if error.reason == "SAVE_NOT_FOUND" and not _was_made:
		_create(false)
	elif error.reason in ANOTHERS:
		_link.give_up(error)
		refused.emit(error)
	else:
		_link.lose(error)


func _create(replace: bool) -> void:
	var wrong := NpcFiles.why_not()
	if wrong != null:
		_link.give_up(wrong)
		return
	var policies: Variant = NpcFiles.document(NpcSettings.text(NpcSettings.POLICIES))
	var request := NpcFiles.as_request()
	(
		request
		. merge(
			{
				"slot": slot,
				"seed": NpcSettings.whole(NpcSettings.SEED),
				"policies": [] if policies == null else [policies],
				"game": NpcSettings.game(),
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
