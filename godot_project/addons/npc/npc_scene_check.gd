class_name NpcSceneCheck
extends RefCounted
## Compares the addresses of places and objects in the tree with the town of the open save, and reports mistakes. Only
## in debug builds: players cannot mend them.
##
## It looks when the save is open, after the town has changed, and when nodes have entered the tree, such as those of
## another scene. A game may show a part of its town only. So a room is missed only where its building has a node, and an
## object only where its room has one.

## How many frames must pass without a new node before the nodes are looked at. A level may enter the tree bit by bit.
const CALM_FRAMES := 30
## How many addresses a report names.
const MOST_NAMED := 5
## How similar an address must be to be suggested, from 0 to 1.
const SIMILAR := 0.7
## The call that adds places and objects which the town file does not have.
const REGISTER := "WorldService/RegisterWorld"

static var _is_on: bool = OS.is_debug_build()
## The addresses of nodes that have entered the tree since the last look. Each counts once.
static var _entered: Dictionary[String, bool] = {}
static var _calm_frames: int = 0

var _server: NpcServerNode
var _link: NpcLink
var _saves: NpcSaves
## How many calls that may change the town have not ended.
var _changing: int = 0
## Rises when the town may have changed, so that an answer of before is not taken for the new one.
var _version: int = 0
var _is_asked: bool = false
## The addresses of the town; empty until the server has answered.
var _town: Dictionary[String, bool] = {}
## The rooms of each building, and the objects of each room.
var _parts: Dictionary[String, PackedStringArray] = {}
var _told: Dictionary[String, bool] = {}


func _init(server: NpcServerNode, link: NpcLink, saves: NpcSaves) -> void:
	_server = server
	_link = link
	_saves = saves


## Takes note of a node that has entered the tree or has got another address.
static func note(address: String) -> void:
	if _is_on:
		_entered[address] = true
		_calm_frames = 0


## Forgets the town, and looks at all nodes again. Called when another town may be played.
func begin() -> void:
	_version += 1
	_is_asked = false
	_town.clear()
	_parts.clear()
	for address: String in NpcPlaceCore.get_addresses() + NpcObjectCore.get_addresses():
		note(address)


## Waits for a call that may change the town.
func wait_for(request: NpcRequest) -> void:
	_changing += 1
	request.finished.connect(_on_changed, CONNECT_ONE_SHOT)


## Called in each frame of play.
func run() -> void:
	if _entered.is_empty() or _changing > 0:
		return
	_calm_frames += 1
	if _calm_frames <= CALM_FRAMES:
		return
	if not _town.is_empty():
		_look()
	elif not _is_asked:
		_is_asked = true
		var session := {"session_id": _saves.session}
		_link.call_unary("WorldService/ListAddresses", {}, _on_listed.bind(_version), _on_not_listed, session)


func _on_changed() -> void:
	_changing -= 1
	begin()


func _on_listed(response: Dictionary, version: int) -> void:
	if version != _version:
		return
	for address: String in response.get("addresses", []) as Array:
		_town[address] = true
		var around := NpcPlaceCore.get_parent_address(address)
		if around.contains(":"):
			var parts: PackedStringArray = _parts.get(around, PackedStringArray())
			parts.append(address)
			_parts[around] = parts


## An older server does not know the call. Then nothing is compared.
func _on_not_listed(_error: NpcError) -> void:
	pass


func _look() -> void:
	var unknown: Array[String] = []
	var missing: Array[String] = []
	for address: String in _entered:
		if address.is_empty() or NpcSetup.find_node(address) == null:
			continue
		if not _town.has(address):
			if not _is_told_as_other_town(address):
				unknown.append(address)
			continue
		for part: String in _parts.get(address, PackedStringArray()):
			if NpcSetup.find_node(part) == null:
				missing.append(part)
	_entered.clear()
	_report_unknown(unknown.filter(_is_new))
	_report_missing(missing.filter(_is_new))


## Returns [code]true[/code] for an address that was not told before.
func _is_new(address: String) -> bool:
	var is_new := not _told.has(address)
	_told[address] = true
	return is_new


func _report_unknown(unknown: Array[String]) -> void:
	if unknown.is_empty():
		return
	var named: PackedStringArray = []
	for address: String in unknown.slice(0, MOST_NAMED):
		var similar := _find_similar(address)
		_told[similar] = true  # its node is there, with a typing error
		var hint := " (did you mean '%s'?)" % similar if not similar.is_empty() else ""
		named.append("'%s' of '%s'%s" % [address, NpcSetup.find_node(address).get_path(), hint])
	var message := "The town '%s' does not have these addresses, so no character knows the nodes: %s. "
	message += "Correct them. If the town file has them, call NpcServer.apply_persona_changes(). "
	message += "If your game makes such places or objects itself, tell the server with %s."
	message = message % [_town.keys()[0], _join(named, unknown.size()), REGISTER]
	_server.failed.emit(NpcError.make("NOT_FOUND", "UNKNOWN_PLACE", message))


func _report_missing(missing: Array[String]) -> void:
	if missing.is_empty():
		return
	var named: PackedStringArray = []
	for address: String in missing.slice(0, MOST_NAMED):
		named.append("'%s' in '%s'" % [address, NpcSetup.find_node(NpcPlaceCore.get_parent_address(address)).get_path()])
	var message := "The town has rooms or objects without a node, so nobody can go there: %s. "
	message += "Add an NpcPlace or NpcObject for each (in 3D an NpcPlace3D or NpcObject3D), or remove them from the town file."
	_server.failed.emit(NpcError.make("NOT_FOUND", "MISSING_NODES", message % _join(named, missing.size())))


## Returns the most similar address of the town that has no node; empty if none is similar.
func _find_similar(address: String) -> String:
	var best := ""
	var most := SIMILAR
	for known: String in _town:
		var how_similar := known.similarity(address)
		if how_similar > most and NpcSetup.find_node(known) == null:
			best = known
			most = how_similar
	return best


## Places of another town are reported as PLACE_OUTSIDE_TOWN.
func _is_told_as_other_town(address: String) -> bool:
	var root := address.get_slice(":", 0)
	return not _town.has(root) and root in NpcPlaceCore.get_towns()


static func _join(named: PackedStringArray, count: int) -> String:
	var more := " and %d more" % (count - named.size()) if count > named.size() else ""
	return ", ".join(named) + more
