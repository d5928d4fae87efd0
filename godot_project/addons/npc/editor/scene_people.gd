@tool
extends RefCounted
## The people of a scene, and the bodies of those that it lacks.

const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")
## How wide a body is, in pixels and in metres.
const RADIUS := 8.0
const RADIUS_M := 0.3
## How tall a body is in 3D, in metres.
const HEIGHT_M := 1.7


## Returns the ids of all people who have an [NpcAgent] in a scene.
static func list_ids(root: Node) -> PackedStringArray:
	var found := PackedStringArray()
	if root == null:
		return found
	if root is NpcAgent:
		found.append((root as NpcAgent).persona_id)
	for child: Node in root.get_children():
		found.append_array(list_ids(child))
	return found


## Adds a body with a mind under the root of a scene, with undo. It stands at home if the scene has the home, or else in the
## middle of the view. Returns the body.
static func add(person: Dictionary, root: Node) -> Node:
	var scene: SceneNodes = SceneNodes.read(root)
	var body := _make_body_3d() if scene.is_3d() else _make_body()
	body.name = (person["id"] as String).to_pascal_case()
	_place(body, root, _find_home(person, scene))
	var agent := NpcAgent.new()
	agent.name = "NpcAgent"
	agent.persona_id = person["id"]
	body.add_child(agent)
	var undo := EditorInterface.get_editor_undo_redo()
	undo.create_action("Add %s to the scene" % person["name"], UndoRedo.MERGE_DISABLE, root)
	undo.add_do_method(root, &"add_child", body, true)
	undo.add_do_reference(body)
	for node: Node in [body, body.get_child(0), agent] as Array[Node]:
		undo.add_do_method(node, &"set_owner", root)
	undo.add_undo_method(root, &"remove_child", body)
	undo.commit_action()
	return body


static func _make_body() -> Node:
	var body := CharacterBody2D.new()
	body.motion_mode = CharacterBody2D.MOTION_MODE_FLOATING
	var collision := CollisionShape2D.new()
	var circle := CircleShape2D.new()
	circle.radius = RADIUS
	collision.shape = circle
	body.add_child(collision)
	collision.name = "CollisionShape2D"
	return body


static func _make_body_3d() -> Node:
	var body := CharacterBody3D.new()
	var collision := CollisionShape3D.new()
	var capsule := CapsuleShape3D.new()
	capsule.radius = RADIUS_M
	capsule.height = HEIGHT_M
	collision.shape = capsule
	collision.position.y = HEIGHT_M / 2.0
	body.add_child(collision)
	collision.name = "CollisionShape3D"
	return body


## Returns the node of the person's bed, of the room that it is in, or of the house; [code]null[/code] if the scene has none.
static func _find_home(person: Dictionary, scene: SceneNodes) -> Node:
	var address := str(person.get("home", ""))
	while address.contains(":"):
		if scene.by_address.has(address):
			return scene.by_address[address]
		address = NpcPlaceCore.get_parent_address(address)
	return null


static func _place(body: Node, root: Node, home: Node) -> void:
	if body is Node3D:
		if home is Node3D:
			var parent := (root as Node3D).global_transform if root is Node3D else Transform3D.IDENTITY
			(body as Node3D).position = parent.affine_inverse() * _get_spot_3d(home as Node3D)
		return
	var view := EditorInterface.get_editor_viewport_2d()
	var at := (view.global_canvas_transform.affine_inverse() * (Vector2(view.size) / 2.0)).round()
	if home is Node2D:
		at = (home as NpcObject).get_spot() if home is NpcObject else SceneNodes.get_rect(home).get_center()
	var above := (root as CanvasItem).get_global_transform() if root is CanvasItem else Transform2D.IDENTITY
	(body as Node2D).position = above.affine_inverse() * at


static func _get_spot_3d(home: Node3D) -> Vector3:
	return (home as NpcObject3D).get_spot() if home is NpcObject3D else home.global_position
