class_name NpcSetup
## What the addon's nodes need around them: the autoload that the plugin adds.

const ENABLE := "Enable the plugin npc-server in Project Settings, Plugins."

static var _told: bool = false


## The autoload NpcServer for a node in the tree; null, with one error for the whole game, when it is not there.
static func server_of(node: Node) -> NpcServerNode:
	var server := NpcServerNode.find(node)
	if server == null and not _told:
		_told = true
		push_error(
			(
				"%s '%s' finds no NpcServer, so nobody has a mind. %s"
				% [_class_of(node), node.name, ENABLE]
			)
		)
	return server


static func _class_of(node: Node) -> String:
	var script := node.get_script() as Script
	while script != null and script.get_global_name().is_empty():
		script = script.get_base_script()
	return script.get_global_name() if script != null else node.get_class()
