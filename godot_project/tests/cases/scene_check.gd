extends NpcTestCase
## Nodes whose addresses the town does not have, and rooms and objects without a node. With a real server.
##
## With [code]demo[/code] it opens the demo town instead, where everything must be right.

var errors: Array[NpcError] = []
var scene: Node2D = null


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(error))
	if "demo" in arguments:
		await _compare_demo()
		return
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	await _open(["harbor", "harbor:quay", "harbor:quay:market", "harbor:shop", "harbor:shed:loft", "harbor:islte:beach"])
	_add_objects(["harbor:quay:market:stal", "harbor:shed:loft:bench"])
	result["first scene"] = await _look()
	await _open(["harbor:quay:market", "harbor:shop", "harbor:islet:beach"])
	_add_objects(["harbor:quay:market:stall"])
	result["second scene"] = await _look()
	await _open(["twon:green", "harbor:quay:market"])
	_add_objects(["harbor:quay:market:stall", "", "twon:green:bench"])
	result["another town"] = await _look()
	await _make()
	await _apply()
	NpcServer.new_game()
	await NpcServer.loaded
	result["new game"] = await _look()


## What the game makes itself is right if the server was told, even if the node came first.
func _make() -> void:
	for i: int in 7:
		_add_objects(["harbor:quay:market:drum %d" % i])
	result["made"] = await _look()
	_add_objects(["harbor:quay:market:kite"])
	var node := {"address": "harbor:quay:market:kite", "kind": "NODE_KIND_OBJECT", "name": "kite"}
	var told := NpcServer.call_server("WorldService/RegisterWorld", {"nodes": [node]})
	result["registered"] = await _look()
	check(told.is_finished and told.error == null, "The kite is not registered.")


## A place that was added to the town file is right once the files have been applied.
func _apply() -> void:
	var file := FileAccess.open(NpcSettings.get_text(NpcSettings.TOWN), FileAccess.READ_WRITE)
	file.seek_end()
	file.store_string("  - {id: pier, rect: [30, 30, 6, 6], open: true, rooms: [{id: end, rect: [30, 30, 6, 6]}]}\n")
	file.close()
	_add_places(["harbor:pier", "harbor:pier:end"])
	var applied := NpcServer.apply_persona_changes()
	result["applied"] = await _look()
	check(applied.is_finished and applied.error == null, "The town file is not applied.")


func _compare_demo() -> void:
	open_town()
	check(await until(NpcServer.is_playing), "It never played: %s" % str(errors))
	result["errors"] = await _look()
	result["addresses"] = NpcServer._session.scene_check._town.size()


## Returns what was told until all nodes were looked at.
func _look() -> Array:
	check(await until(func() -> bool: return NpcSceneCheck._entered.is_empty()), "Nobody looks at the nodes.")
	var found := errors.map(func(error: NpcError) -> Array: return [error.reason, error.message])
	errors.clear()
	return found


## Opens another scene.
func _open(places: Array[String]) -> void:
	if scene != null:
		scene.queue_free()
		await scene.tree_exited
	scene = Node2D.new()
	scene.name = "Scene"
	get_tree().root.add_child(scene)
	_add_places(places)


func _add_places(addresses: Array[String]) -> void:
	for address: String in addresses:
		var place := NpcPlace.new()
		place.address = address
		place.name = address.get_slice(":", address.count(":"))
		scene.add_child(place)


func _add_objects(addresses: Array[String]) -> void:
	for address: String in addresses:
		var object := NpcObject.new()
		scene.add_child(object)
		object.address = address
