@tool
extends EditorPlugin
## Does in the editor what a page of the docs tells a reader to do, and closes it: docs/quickstart.md, or with NPC_TEST_3D
## "A first 3D character" in docs/3d.md. The files of that page are beside the project.

const POSITION := Vector2(32, 32)
const SIZE := Vector2(640, 384)
const SCRIPT := "res://main.gd"
const SCENE := "res://main.tscn"
const CALM_FRAMES := 20


var _step: int = 0
var _calm_frames: int = 0


## Does one step whenever the editor has nothing left to scan. It cannot await, because the editor reloads scripts
## meanwhile.
func _process(_delta: float) -> void:
	_calm_frames = 0 if EditorInterface.get_resource_filesystem().is_scanning() else _calm_frames + 1
	if _calm_frames < CALM_FRAMES:
		return
	_calm_frames = 0
	_step += 1
	match _step:
		1:
			_enable()
		2:
			_make_scene()
		3:
			_look()


func _enable() -> void:
	EditorInterface.set_plugin_enabled("npc", true)
	if not ProjectSettings.has_setting("autoload/NpcServer"):
		_end("Enabling the plugin adds no autoload.")
		return
	ProjectSettings.set_setting("npc/save/town", "res://people/town.yaml")
	ProjectSettings.set_setting("npc/save/personas", "res://people/personas")
	# Only now, as a reader does: a script that uses the autoload cannot compile before there is one.
	DirAccess.rename_absolute("res://main.gd.txt", SCRIPT)
	DirAccess.rename_absolute("res://watch.gd.txt", "res://watch.gd")
	EditorInterface.get_resource_filesystem().scan()


func _make_scene() -> void:
	var scene := PackedScene.new()
	var root := _root_3d() if OS.has_environment("NPC_TEST_3D") else _root()
	if root == null:
		return
	scene.pack(root)
	ResourceSaver.save(scene, SCENE)
	root.free()
	ProjectSettings.set_setting("application/run/main_scene", SCENE)
	ProjectSettings.save()
	EditorInterface.open_scene_from_path(SCENE)


func _look() -> void:
	var opened := EditorInterface.get_edited_scene_root()
	if opened == null:
		_end("The scene does not open in the editor.")
		return
	for region: Node in opened.find_children("*", "NavigationRegion3D"):
		(region as NavigationRegion3D).bake_navigation_mesh(false)
	var picture := OS.get_environment("NPC_TEST_EDITOR_PICTURE")
	if not picture.is_empty():
		get_viewport().get_texture().get_image().save_png(picture)
	EditorInterface.save_scene()
	print("DRIVER warnings ", JSON.stringify(_warnings(opened)))
	_end("")


func _root() -> Node:
	var root := Node2D.new()
	root.name = "Main"
	root.set_script(load(SCRIPT))
	var region := NavigationRegion2D.new()
	var ground := NavigationPolygon.new()
	ground.vertices = PackedVector2Array([Vector2.ZERO, Vector2(768, 0), Vector2(768, 448), Vector2(0, 448)])
	ground.add_polygon(PackedInt32Array([0, 1, 2, 3]))
	region.navigation_polygon = ground
	_add(root, root, region)
	var market := _new("NpcPlace")
	var stall := _new("NpcObject")
	var agent := _new("NpcAgent")
	if market == null or stall == null or agent == null:
		return null
	market.set("address", "harbor:quay:market")
	market.set("position", POSITION)
	market.set("size", SIZE)
	_add(root, root, market)
	stall.set("address", "harbor:quay:market:stall")
	stall.set("position", Vector2(144, 112))
	_add(root, market, stall)
	var body := Node2D.new()
	body.name = "Rosa"
	body.position = Vector2(500, 300)
	_add(root, root, body)
	agent.set("persona_id", "rosa")
	_add(root, body, agent)
	var watcher := Node2D.new()
	watcher.set_script(load("res://watch.gd"))
	_add(root, root, watcher)
	return root


func _root_3d() -> Node:
	var root := Node3D.new()
	root.name = "Main"
	root.set_script(load(SCRIPT))
	var light := DirectionalLight3D.new()
	_put(root, root, light, Vector3(0, 8, 0)).rotation_degrees.x = -60.0
	_put(root, root, Camera3D.new(), Vector3(0, 9, 12)).rotation_degrees.x = -40.0
	var region := NavigationRegion3D.new()
	region.navigation_mesh = NavigationMesh.new()
	_add(root, root, region)
	var floor_box := CSGBox3D.new()
	floor_box.size = Vector3(22, 1, 10)
	floor_box.use_collision = true
	_put(root, region, floor_box, Vector3(0, -0.5, 0))
	var market := _new("NpcPlace3D")
	var stall := _new("NpcObject3D")
	market.set("address", "harbor:quay:market")
	market.set("size", Vector3(22, 3, 10))
	_add(root, root, market)
	stall.set("address", "harbor:quay:market:stall")
	_put(root, market, stall, Vector3(-8, 0, 0))
	var body := CharacterBody3D.new()
	body.name = "Rosa"
	_put(root, root, body, Vector3(3, 0, 2))
	var figure := MeshInstance3D.new()
	figure.mesh = CapsuleMesh.new()
	_put(root, body, figure, Vector3(0, 1, 0))
	var shape := CollisionShape3D.new()
	shape.shape = CapsuleShape3D.new()
	_put(root, body, shape, Vector3(0, 1, 0))
	var agent := _new("NpcAgent")
	agent.set("persona_id", "rosa")
	_add(root, body, agent)
	var watcher := Node2D.new()
	watcher.set_script(load("res://watch.gd"))
	_add(root, root, watcher)
	return root


func _put(root: Node, parent: Node, child: Node, at: Vector3) -> Node3D:
	_add(root, parent, child)
	(child as Node3D).position = at
	return child as Node3D


## Makes a node as the dialog "Create New Node" does: by a class that the editor lists.
func _new(called: String) -> Node:
	for known: Dictionary in ProjectSettings.get_global_class_list():
		if known["class"] == called:
			var made: Variant = (load(str(known["path"])) as GDScript).new()
			if made is Node:
				(made as Node).name = called
				return made
	_end("The editor cannot make a node %s." % called)
	return null


func _add(root: Node, parent: Node, child: Node) -> void:
	parent.add_child(child, true)
	child.owner = root


func _warnings(node: Node) -> PackedStringArray:
	var found: PackedStringArray = []
	if node.has_method(&"_get_configuration_warnings"):
		found = node.call(&"_get_configuration_warnings")
	for child: Node in node.get_children():
		found.append_array(_warnings(child))
	return found


func _end(problem: String) -> void:
	print("DRIVER ended ", problem)
	get_tree().quit()
