class_name NpcWarnings
## The configuration warnings of the addon's nodes in the editor.

## The project setting of the autoload.
const AUTOLOAD := "autoload/NpcServer"


## Returns the warnings of an agent.
static func of_agent(agent: NpcAgent) -> PackedStringArray:
	var found := _get_project_warnings()
	var parent := agent.get_parent()
	if parent is Node3D:
		found.append("NpcAgent works under a Node2D. There is no 3D yet: '%s' is a %s." % [parent.name, parent.get_class()])
	elif parent != null and not parent is Node2D:
		found.append("NpcAgent needs a Node2D as its parent: the body that walks. Add it under a CharacterBody2D, for example.")
	if agent.persona_id.is_empty():
		found.append("It has no persona. Set persona_id to the id in a persona file.")
		return found
	var other := _find_twin(_get_scene_nodes(agent), agent, NpcAgent, &"persona_id")
	if other != null:
		found.append("'%s' is the persona of '%s', too. Give each body a persona of its own." % [agent.persona_id, other.name])
	return found


## Returns the warnings of a place.
static func of_place(place: NpcPlace) -> PackedStringArray:
	var found := _get_project_warnings()
	if place.address.is_empty():
		if place != _get_scene_root(place):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen".')
		return found
	var nodes := _get_scene_nodes(place)
	var parent := _get_parent_address(place.address)
	if parent != _get_top_parent(nodes) and not _has_place(nodes, parent):
		found.append(_get_outside_warning(place.address, parent))
	var other := _find_twin(nodes, place, NpcPlace, &"address")
	if other != null:
		found.append("'%s' is the address of '%s', too. Give each place an address of its own." % [place.address, other.name])
	return found


## Returns the warnings of an object.
static func of_object(object: NpcObject) -> PackedStringArray:
	var found := _get_project_warnings()
	if object.address.is_empty():
		if object != _get_scene_root(object):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen:stove".')
		return found
	var nodes := _get_scene_nodes(object)
	var parent := _get_parent_address(object.address)
	if not _has_place(nodes, parent):
		found.append(_get_outside_warning(object.address, parent))
	var other := _find_twin(nodes, object, NpcObject, &"address")
	if other != null:
		found.append("'%s' is the address of '%s', too. Give each object an address of its own." % [object.address, other.name])
	return found


static func _get_project_warnings() -> PackedStringArray:
	return [] if ProjectSettings.has_setting(AUTOLOAD) else ["There is no NpcServer. " + NpcSetup.ENABLE_HINT]


## Returns the first other node of a class that has the same value in a property, or [code]null[/code].
static func _find_twin(nodes: Array[Node], node: Node, type: GDScript, property: StringName) -> Node:
	for other: Node in nodes:
		if other != node and is_instance_of(other, type) and other.get(property) == node.get(property):
			return other
	return null


static func _get_outside_warning(address: String, parent: String) -> String:
	if parent.is_empty():
		return "'%s' is in no place: an address begins with the town's id. Correct the address." % address
	return "'%s' is in '%s', but no NpcPlace of this scene has that address. Add one, or correct the address." % [address, parent]


static func _get_parent_address(address: String) -> String:
	return address.left(maxi(address.rfind(":"), 0))


## Returns the address of the parent of the topmost places. It may be missing, because a scene may show a single house
## of a town.
static func _get_top_parent(nodes: Array[Node]) -> String:
	var top: NpcPlace = null
	for node: Node in nodes:
		var place := node as NpcPlace
		if place != null and not place.address.is_empty():
			if top == null or place.address.count(":") < top.address.count(":"):
				top = place
	return _get_parent_address(top.address) if top != null else ""


static func _has_place(nodes: Array[Node], address: String) -> bool:
	return nodes.any(func(node: Node) -> bool: return node is NpcPlace and (node as NpcPlace).address == address)


## Returns all nodes of a node's scene, in the order of the scene tree.
static func _get_scene_nodes(node: Node) -> Array[Node]:
	var found: Array[Node] = []
	var waiting: Array[Node] = [_get_scene_root(node)]
	while not waiting.is_empty():
		var next: Node = waiting.pop_back()
		found.append(next)
		var children := next.get_children()
		children.reverse()
		waiting.append_array(children)
	return found


static func _get_scene_root(node: Node) -> Node:
	if Engine.is_editor_hint() and node.is_inside_tree() and node.get_tree().edited_scene_root != null:
		return node.get_tree().edited_scene_root
	var top := node
	while top.get_parent() != null and not top.get_parent() is Window:
		top = top.get_parent()
	return top
