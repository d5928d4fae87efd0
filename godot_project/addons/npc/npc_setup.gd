class_name NpcSetup
## What the addon's nodes need around them: the autoload that the plugin adds.

const ENABLE := "Enable the plugin npc-server in Project Settings, Plugins."

static var _told: bool = false
static var _told_unknown: Dictionary[int, bool] = {}


## The autoload NpcServer for a node in the tree; null, with one error for the whole game, when it is not there.
static func server_of(node: Node) -> NpcServerNode:
	var server := NpcServerNode.find(node)
	if server == null and not _told:
		_told = true
		push_error("%s '%s' finds no NpcServer, so nobody has a mind. %s" % [_class_of(node), node.name, ENABLE])
	return server


## A persona that the save does not have: told once for each agent, since nobody would ever move that body.
static func tell_unknown(agent: NpcAgent, server: NpcServerNode) -> void:
	if not server.is_playing() or agent.persona_id in server.npc_ids or _told_unknown.has(agent.get_instance_id()):
		return
	_told_unknown[agent.get_instance_id()] = true
	var folder := NpcSettings.text(NpcSettings.PERSONAS)
	var where := folder if not folder.is_empty() else "the folder that %s names" % NpcSettings.PERSONAS
	var message := "NpcAgent '%s' has the persona '%s', and the save has nobody of that id. It has: %s. "
	message += "Mend persona_id; or put the persona's file into %s and call NpcServer.apply_persona_changes()."
	message = message % [agent.get_path(), agent.persona_id, ", ".join(server.npc_ids), where]
	server.failed.emit(NpcError.make("NOT_FOUND", "UNKNOWN_PERSONA", message))


## Two bodies with one mind: both would walk and speak for one person.
static func tell_doubled(agent: NpcAgent, other: NpcAgent, server: NpcServerNode) -> void:
	var message := "NpcAgent '%s' and '%s' have the same persona '%s'. Give each a persona of its own, or remove one."
	message = message % [other.get_path(), agent.get_path(), agent.persona_id]
	server.failed.emit(NpcError.make("ALREADY_EXISTS", "PERSONA_DOUBLED", message))


static func _class_of(node: Node) -> String:
	var script := node.get_script() as Script
	while script != null and script.get_global_name().is_empty():
		script = script.get_base_script()
	return script.get_global_name() if script != null else node.get_class()
