class_name NpcWarnings
## What is to be mended about the addon's nodes in a scene: the yellow triangles of the editor's scene tree.

const AUTOLOAD := "autoload/NpcServer"


## For a character.
static func of_agent(agent: NpcAgent) -> PackedStringArray:
	var found := _of_project()
	var parent := agent.get_parent()
	if parent is Node3D:
		found.append("NpcAgent works under a Node2D. There is no 3D yet: '%s' is a %s." % [parent.name, parent.get_class()])
	elif parent != null and not parent is Node2D:
		found.append("NpcAgent needs a Node2D above it, the body that walks. Put it under a CharacterBody2D, for example.")
	if agent.persona_id.is_empty():
		found.append("It has no persona. Set persona_id to the `id` of a persona file.")
		return found
	for other: Node in _all_in_scene(agent):
		if other is NpcAgent and other != agent and (other as NpcAgent).persona_id == agent.persona_id:
			found.append("'%s' is the persona of '%s', too. Give each body a persona of its own." % [agent.persona_id, other.name])
			break
	return found


## For a place.
static func of_place(place: NpcPlace) -> PackedStringArray:
	var found := _of_project()
	if place.address.is_empty():
		if place != _scene_of(place):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen".')
		return found
	var nodes := _all_in_scene(place)
	var parent := _parent_of(place.address)
	if parent != _parent_of_top(nodes) and not _has_place(nodes, parent):
		found.append(_outside(place.address, parent))
	for other: Node in nodes:
		if other is NpcPlace and other != place and (other as NpcPlace).address == place.address:
			found.append("'%s' is the address of '%s', too. Give each place an address of its own." % [place.address, other.name])
			break
	return found


## For a thing.
static func of_object(object: NpcObject) -> PackedStringArray:
	var found := _of_project()
	if object.address.is_empty():
		if object != _scene_of(object):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen:stove".')
		return found
	var nodes := _all_in_scene(object)
	var parent := _parent_of(object.address)
	if not _has_place(nodes, parent):
		found.append(_outside(object.address, parent))
	for other: Node in nodes:
		if other is NpcObject and other != object and (other as NpcObject).address == object.address:
			found.append("'%s' is the address of '%s', too. Give each thing an address of its own." % [object.address, other.name])
			break
	return found


static func _of_project() -> PackedStringArray:
	return [] if ProjectSettings.has_setting(AUTOLOAD) else ["There is no NpcServer. " + NpcSetup.ENABLE]


static func _outside(address: String, parent: String) -> String:
	if parent.is_empty():
		return "'%s' lies in no place: an address begins with the town's id. Mend the address." % address
	return "'%s' lies in '%s', and no NpcPlace of this scene has that address. Add one, or mend the address." % [address, parent]


static func _parent_of(address: String) -> String:
	return address.left(maxi(address.rfind(":"), 0))


## What the topmost places of the scene lie in: a scene may show a single house of a town, so that is not asked for.
static func _parent_of_top(nodes: Array[Node]) -> String:
	var top: NpcPlace = null
	for node: Node in nodes:
		var place := node as NpcPlace
		if place != null and not place.address.is_empty():
			if top == null or place.address.count(":") < top.address.count(":"):
				top = place
	return _parent_of(top.address) if top != null else ""


static func _has_place(nodes: Array[Node], address: String) -> bool:
	return nodes.any(func(node: Node) -> bool: return node is NpcPlace and (node as NpcPlace).address == address)


## All nodes of the scene that a node is in, the way they stand in the editor's tree.
static func _all_in_scene(node: Node) -> Array[Node]:
	var found: Array[Node] = []
	var waiting: Array[Node] = [_scene_of(node)]
	while not waiting.is_empty():
		var next: Node = waiting.pop_back()
		found.append(next)
		var children := next.get_children()
		children.reverse()
		waiting.append_array(children)
	return found


static func _scene_of(node: Node) -> Node:
	if Engine.is_editor_hint() and node.is_inside_tree() and node.get_tree().edited_scene_root != null:
		return node.get_tree().edited_scene_root
	var top := node
	while top.get_parent() != null and not top.get_parent() is Window:
		top = top.get_parent()
	return top
