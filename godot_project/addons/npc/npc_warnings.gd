class_name NpcWarnings
## The configuration warnings of the addon's nodes in the editor.

## The project setting of the autoload.
const AUTOLOAD := "autoload/NpcServer"
## No character walks faster, in metres per second. A higher speed was meant in pixels.
const FASTEST_M := 20.0
## What a scene with 2D bodies lacks.
const NO_MAP_2D := (
	"This scene has no NavigationRegion2D, and no TileMapLayer with navigation, so nobody can walk. "
	+ "Add a NavigationRegion2D whose polygon covers the ground, and bake it."
)
## What a scene with 3D bodies lacks.
const NO_MAP_3D := (
	"This scene has no NavigationRegion3D, and no GridMap with navigation, so nobody can walk. "
	+ "Add a NavigationRegion3D with a NavigationMesh over the ground, and bake it."
)


## Returns the warnings of an agent.
static func of_agent(agent: NpcAgent) -> PackedStringArray:
	var found := _get_project_warnings()
	var nodes := _get_scene_nodes(agent)
	var body := agent.get_parent()
	if body != null and not _is_body(body):
		found.append("NpcAgent needs a Node2D or Node3D as its parent: the body that walks. Add it under a CharacterBody2D, for example.")
	elif body != null and _is_only_in(nodes, not body is Node3D):
		found.append(
			"'%s' is a %s, but all places here are %s. %s" % [body.name, _kind_of(body), _other_kind_of(body), _get_mix_hint(body)]
		)
	elif body != null and _lacks_map(nodes, body is Node3D):
		found.append(NO_MAP_3D if body is Node3D else NO_MAP_2D)
	if body is Node3D and agent.walk_speed > FASTEST_M:
		found.append("In 3D walk_speed is in metres per second, and %s is very fast. 0 stands for 1.4." % agent.walk_speed)
	if agent.persona_id.is_empty():
		found.append("It has no persona. Set persona_id to the id in a persona file.")
		return found
	var is_twin := func(node: Node) -> bool: return node is NpcAgent and (node as NpcAgent).persona_id == agent.persona_id
	var other := _find_other(nodes, agent, is_twin)
	if other != null:
		found.append("'%s' is the persona of '%s', too. Give each body a persona of its own." % [agent.persona_id, other.name])
	return found


## Returns the warnings of a place.
static func of_place(place: NpcPlaceCore) -> PackedStringArray:
	var found := _get_project_warnings()
	if place.address.is_empty():
		if place.node != _get_scene_root(place.node):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen".')
		return found
	var nodes := _get_scene_nodes(place.node)
	var parent := NpcPlaceCore.get_parent_address(place.address)
	if not _is_topmost(nodes, place.address) and not _has_place(nodes, parent):
		found.append(_get_outside_warning(place.address, parent))
	var is_twin := func(node: Node) -> bool: return _core_of(node) != null and _core_of(node).address == place.address
	var other := _find_other(nodes, place.node, is_twin)
	if other != null:
		found.append("'%s' is the address of '%s', too. Give each place an address of its own." % [place.address, other.name])
	found.append_array(_get_mix_warnings(nodes, place.node))
	return found


## Returns the warnings of an object.
static func of_object(object: NpcObjectCore) -> PackedStringArray:
	var found := _get_project_warnings()
	if object.address.is_empty():
		if object.node != _get_scene_root(object.node):
			found.append('It has no address. Set it to the ids from the town file\'s root, as in "town:cafe:kitchen:stove".')
		return found
	var nodes := _get_scene_nodes(object.node)
	var parent := NpcPlaceCore.get_parent_address(object.address)
	if not _has_place(nodes, parent):
		found.append(_get_outside_warning(object.address, parent))
	var is_twin := func(node: Node) -> bool: return _object_address_of(node) == object.address
	var other := _find_other(nodes, object.node, is_twin)
	if other != null:
		found.append("'%s' is the address of '%s', too. Give each object an address of its own." % [object.address, other.name])
	found.append_array(_get_mix_warnings(nodes, object.node))
	return found


## Looks at agents again when a scene in the editor gets a navigation map, or loses it.
static func watch_maps(tree: SceneTree) -> void:
	if not tree.node_added.is_connected(_on_node_changed):
		tree.node_added.connect(_on_node_changed)
		tree.node_removed.connect(_on_node_changed)


static func _on_node_changed(node: Node) -> void:
	if node.is_inside_tree() and (_is_map(node, true) or _is_map(node, false)):
		_look_again.call_deferred(node.get_tree())


static func _look_again(tree: SceneTree) -> void:
	if tree.edited_scene_root == null:
		return
	for node: Node in _get_scene_nodes(tree.edited_scene_root):
		if node is NpcAgent:
			node.update_configuration_warnings()


## Returns [code]true[/code] if nobody can walk in the scene. A scene without places, such as that of a single character, may
## be put into one that has a map.
static func _lacks_map(nodes: Array[Node], in_3d: bool) -> bool:
	var has_places := nodes.any(func(node: Node) -> bool: return _core_of(node) != null)
	return has_places and not nodes.any(_is_map.bind(in_3d))


static func _is_map(node: Node, in_3d: bool) -> bool:
	if in_3d:
		return node is NavigationRegion3D or (node is GridMap and (node as GridMap).bake_navigation)
	var tiles := node as TileMapLayer
	# A map without a tile set gets one from a script.
	var has_tiles := tiles != null and (tiles.tile_set == null or tiles.tile_set.get_navigation_layers_count() > 0)
	return node is NavigationRegion2D or node is TileMap or (has_tiles and tiles.navigation_enabled)


static func _get_project_warnings() -> PackedStringArray:
	return [] if ProjectSettings.has_setting(AUTOLOAD) else ["There is no NpcServer. " + NpcSetup.ENABLE_HINT]


## Returns the first other node for which [param is_twin] returns [code]true[/code], or [code]null[/code].
static func _find_other(nodes: Array[Node], node: Node, is_twin: Callable) -> Node:
	for other: Node in nodes:
		if other != node and is_twin.call(other):
			return other
	return null


## Returns what [NpcPlace] and [NpcPlace3D] have in common, or [code]null[/code] for another node.
static func _core_of(node: Node) -> NpcPlaceCore:
	if node is NpcPlace3D:
		return (node as NpcPlace3D).core
	return (node as NpcPlace).core if node is NpcPlace else null


static func _object_address_of(node: Node) -> String:
	if node is NpcObject3D:
		return (node as NpcObject3D).address
	return (node as NpcObject).address if node is NpcObject else ""


static func _is_body(node: Node) -> bool:
	return node is Node2D or node is Node3D


static func _kind_of(node: Node) -> String:
	return "Node3D" if node is Node3D else "Node2D"


static func _other_kind_of(node: Node) -> String:
	return "2D" if node is Node3D else "3D"


static func _get_mix_hint(body: Node) -> String:
	return "Use NpcPlace3D and NpcObject3D." if body is Node3D else "Use NpcPlace and NpcObject."


## Returns [code]true[/code] if the scene has places, and all of them are 3D, or all are 2D.
static func _is_only_in(nodes: Array[Node], in_3d: bool) -> bool:
	var places := nodes.filter(func(node: Node) -> bool: return _core_of(node) != null)
	return not places.is_empty() and places.all(func(node: Node) -> bool: return _core_of(node).is_3d == in_3d)


## A scene may have both, such as a map in a 3D game. But a node of the one kind is of no use if all bodies are of the
## other.
static func _get_mix_warnings(nodes: Array[Node], node: Node) -> PackedStringArray:
	var body: Node = null
	for other: Node in nodes:
		if other is NpcAgent and _is_body(other.get_parent()):
			body = other.get_parent()
			if (body is Node3D) == (node is Node3D):
				return []
	if body == null:
		return []
	return [
		"It is a %s, but the bodies here, such as '%s', are %s. %s" % [_kind_of(node), body.name, _other_kind_of(node), _get_mix_hint(body)]
	]


static func _get_outside_warning(address: String, parent: String) -> String:
	if parent.is_empty():
		return "'%s' is in no place: an address begins with the town's id. Correct the address." % address
	return "'%s' is in '%s', but no NpcPlace of this scene has that address. Add one, or correct the address." % [address, parent]


## Returns [code]true[/code] if no place of the scene is higher up in the same town. What such a place is in may be missing: a
## scene may show a single house of a town, or rooms of several houses.
static func _is_topmost(nodes: Array[Node], address: String) -> bool:
	var top := address
	for node: Node in nodes:
		var other := _core_of(node).address if _core_of(node) != null else ""
		if not other.is_empty() and other.count(":") < top.count(":"):
			top = other
	return top.count(":") == address.count(":") and _is_in_town_of_most(nodes, address)


## Returns [code]false[/code] if an address begins with another town than most: it has a typing error.
static func _is_in_town_of_most(nodes: Array[Node], address: String) -> bool:
	var same := 0
	var others := 0
	for node: Node in nodes:
		if _core_of(node) != null and not _core_of(node).address.is_empty():
			if _core_of(node).address.get_slice(":", 0) == address.get_slice(":", 0):
				same += 1
			else:
				others += 1
	return same >= others


static func _has_place(nodes: Array[Node], address: String) -> bool:
	return nodes.any(func(node: Node) -> bool: return _core_of(node) != null and _core_of(node).address == address)


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
