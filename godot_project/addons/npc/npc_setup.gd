class_name NpcSetup
## Finds the autoload for the addon's nodes, and reports mistakes in the scene.

## What to do if the autoload is missing.
const ENABLE_HINT := "Enable the plugin npc-server in Project > Project Settings > Plugins."

## Seconds after which a place that is off the map is reported.
const FAR_AFTER_S := 1.0

static var _missing_reported: bool = false
static var _unknown_reported: Dictionary[int, bool] = {}
static var _other_space_reported: bool = false
static var _no_map_reported: Dictionary[RID, bool] = {}
static var _far_reported: Dictionary[String, bool] = {}


## Returns the autoload, or [code]null[/code] if there is none. Prints only one error for the whole game.
static func find_server(node: Node) -> NpcServerNode:
	var server := NpcServerNode.find(node)
	if server == null and not _missing_reported:
		_missing_reported = true
		push_error("%s '%s' finds no NpcServer, so no character has a mind. %s" % [_get_class_name(node), node.name, ENABLE_HINT])
	return server


## Reports a persona that the save does not have, once for each agent. Such a body never moves.
static func report_unknown_persona(agent: NpcAgent, server: NpcServerNode) -> void:
	if not server.is_playing() or agent.persona_id in server.npc_ids or _unknown_reported.has(agent.get_instance_id()):
		return
	_unknown_reported[agent.get_instance_id()] = true
	var folder := NpcSettings.get_text(NpcSettings.PERSONAS)
	var where := folder if not folder.is_empty() else "the folder that %s names" % NpcSettings.PERSONAS
	var message := "NpcAgent '%s' has the persona '%s', but the save has no such character. It has: %s. "
	message += "Correct persona_id, or add the persona's file to %s and call NpcServer.apply_persona_changes()."
	message = message % [agent.get_path(), agent.persona_id, ", ".join(server.npc_ids), where]
	server.failed.emit(NpcError.make("NOT_FOUND", "UNKNOWN_PERSONA", message))


## Reports two agents with one persona. Both bodies would walk and speak for the same character.
static func report_duplicate_persona(agent: NpcAgent, other: NpcAgent, server: NpcServerNode) -> void:
	var message := "NpcAgent '%s' and '%s' have the same persona '%s'. Give each a persona of its own, or remove one."
	message = message % [other.get_path(), agent.get_path(), agent.persona_id]
	server.failed.emit(NpcError.make("ALREADY_EXISTS", "DUPLICATE_PERSONA", message))


## Reports that an address belongs to a node of 2D and its body to 3D, or the other way round, once for the whole game.
static func report_other_space(agent: NpcAgent, address: String, server: NpcServerNode) -> void:
	var object := NpcObjectCore.by_address(address)
	var place := NpcPlaceCore.by_address(address)
	if _other_space_reported or server == null or (object == null and place == null):
		return
	_other_space_reported = true
	var node := object.node if object != null else place.node
	var kind := "3D" if agent.is_3d() else "2D"
	var message := "NpcAgent '%s' has a %s body, but '%s' with the address '%s' is an %s. "
	message += "Bodies go only to nodes of their own kind: make it an %s."
	var wanted := ("NpcObject" if object != null else "NpcPlace") + ("3D" if agent.is_3d() else "")
	message = message % [agent.get_path(), kind, node.get_path(), address, _get_class_name(node), wanted]
	server.failed.emit(NpcError.make("FAILED_PRECONDITION", "MIXED_2D_3D", message))


## Reports that the scene has no navigation map, once for each map. Nobody can walk then.
static func report_no_navigation(agent: NpcAgent, server: NpcServerNode) -> void:
	var map := agent.space.get_map()
	if _no_map_reported.has(map):
		return
	_no_map_reported[map] = true
	var message := "NpcAgent '%s' finds no navigation map, so no character can walk. Add a %s."
	var what := "NavigationRegion3D with a baked mesh" if agent.is_3d() else "NavigationRegion2D with a baked polygon"
	server.failed.emit(NpcError.make("FAILED_PRECONDITION", "NO_NAVIGATION", message % [agent.persona_id, what]))


## Reports a place or object that is too far from the navigation map to be reached, once for each address. Nobody goes
## there, and characters do something else instead. The map may still be growing, as after a change of scene, so it looks again
## before it says so.
static func report_far_from_map(agent: NpcAgent, address: String, server: NpcServerNode) -> void:
	if _far_reported.has(address) or not _is_far_from_map(agent, address):
		return
	_far_reported[address] = true
	await agent.get_tree().create_timer(FAR_AFTER_S).timeout
	if not is_instance_valid(agent) or not agent.is_inside_tree() or not _is_far_from_map(agent, address):
		_far_reported.erase(address)
		return
	var to: Vector3 = agent.find_goal(address)
	var nearest := agent.space.get_nearest_on_map(to)
	var is_object := NpcObjectCore.by_address(address, agent.is_3d()) != null
	var unit := "m" if agent.is_3d() else "px"
	var message := "Nobody can reach '%s' with the address '%s': it is %.1f %s from the navigation map, and characters reach %.1f %s. "
	message += "Set its %s to a point on the map, or bake the map closer to it."
	var field := "stand" if is_object else "spots"
	message = (
		message % [find_node(address, agent.is_3d()).get_path(), address, nearest.distance_to(to), unit, agent.reach_tolerance, unit, field]
	)
	server.failed.emit(NpcError.make("FAILED_PRECONDITION", "OUT_OF_REACH", message))


## Returns the node of a place or object, or [code]null[/code]. With [param in_3d] only one of 2D or 3D.
static func find_node(address: String, in_3d: Variant = null) -> Node:
	var object := NpcObjectCore.by_address(address, in_3d)
	if object != null:
		return object.node
	var place := NpcPlaceCore.by_address(address, in_3d)
	return place.node if place != null else null


static func _is_far_from_map(agent: NpcAgent, address: String) -> bool:
	var goal: Variant = agent.find_goal(address)
	if goal == null:
		return false
	var to: Vector3 = goal
	return not NpcSpace.is_near(agent.space.get_nearest_on_map(to), to, agent.reach_tolerance)


static func _get_class_name(node: Node) -> String:
	var script := node.get_script() as Script
	while script != null and script.get_global_name().is_empty():
		script = script.get_base_script()
	return script.get_global_name() if script != null else node.get_class()
