class_name NpcTestWorld3D
extends Node3D
## A small 3D world, made in code: a ground, a ramp from it to a floor above, and an island that no way leads to.
##
## [codeblock lang=text]
## x   -10         10    16     22      z: -5 to 5; the island lies at z 15 to 20
##                        ========      3 m up, over the ground
##                    /
##     ==========================       0 m
## [/codeblock]

const GROUND := AABB(Vector3(-10, -1, -5), Vector3(32, 1, 10))
const ABOVE := AABB(Vector3(16, 2.8, -5), Vector3(6, 0.2, 10))
const ISLAND := AABB(Vector3(-2, -1, 15), Vector3(5, 1, 5))
## The ramp leads from here to there, and is 2 m wide.
const RAMP_FROM := Vector3(9, 0, 0)
const RAMP_TO := Vector3(16, 3, 0)


func _ready() -> void:
	for box: AABB in [GROUND, ABOVE, ISLAND] as Array[AABB]:
		add_wall(box)
	_add_ramp()
	_add_navigation()


## Adds what stops a body, and what the navigation map does not have.
func add_wall(box: AABB) -> StaticBody3D:
	var wall := StaticBody3D.new()
	var holder := CollisionShape3D.new()
	var shape := BoxShape3D.new()
	shape.size = box.size
	holder.shape = shape
	wall.add_child(holder)
	wall.position = box.get_center()
	add_child(wall)
	return wall


## Adds a place that stands on a point.
func add_place(address: String, at: Vector3, size: Vector3) -> NpcPlace3D:
	var place := NpcPlace3D.new()
	place.address = address
	place.position = at
	place.size = size
	add_child(place)
	return place


func add_object(address: String, at: Vector3) -> NpcObject3D:
	var object := NpcObject3D.new()
	object.address = address
	object.display_name = address.get_slice(":", address.count(":"))
	object.position = at
	add_child(object)
	return object


## Adds a capsule of 1.8 m with a mind. Its position is [param middle] metres above its feet. [param at] is where it stands.
func add_character(id: String, at: Vector3, middle: float = 0.9) -> NpcAgent:
	var body := CharacterBody3D.new()
	var holder := CollisionShape3D.new()
	var shape := CapsuleShape3D.new()
	shape.height = 1.8
	shape.radius = 0.3
	holder.shape = shape
	holder.position.y = 0.9 - middle
	body.add_child(holder)
	body.position = at + Vector3.UP * middle
	return add_agent(id, body)


## Puts an agent under a body, and both into the world.
func add_agent(id: String, body: Node) -> NpcAgent:
	var agent := NpcAgent.new()
	agent.persona_id = id
	body.add_child(agent)
	add_child(body)
	return agent


func _add_ramp() -> void:
	var way := RAMP_TO - RAMP_FROM
	var ramp := add_wall(AABB(Vector3(-way.length() / 2.0, -0.2, -1), Vector3(way.length(), 0.2, 2)))
	ramp.rotation.z = atan2(way.y, way.x)
	ramp.position = (RAMP_FROM + RAMP_TO) / 2.0 + ramp.basis * Vector3(0, -0.1, 0)


## Under the ramp nobody walks: the ground's polygons end there.
func _add_navigation() -> void:
	var mesh := NavigationMesh.new()
	mesh.vertices = [
		Vector3(-10, 0, -5),
		Vector3(9, 0, -5),
		Vector3(9, 0, -1),
		Vector3(9, 0, 1),
		Vector3(9, 0, 5),
		Vector3(-10, 0, 5),
		Vector3(22, 0, -5),
		Vector3(22, 0, -2),
		Vector3(9, 0, -2),
		Vector3(16, 3, -1),
		Vector3(16, 3, 1),
		Vector3(16, 3, -5),
		Vector3(22, 3, -5),
		Vector3(22, 3, 5),
		Vector3(16, 3, 5),
		Vector3(-2, 0, 15),
		Vector3(3, 0, 15),
		Vector3(3, 0, 20),
		Vector3(-2, 0, 20)
	]
	for polygon: Array in [[0, 1, 8, 2, 3, 4, 5], [1, 6, 7, 8], [2, 9, 10, 3], [11, 12, 13, 14, 10, 9], [15, 16, 17, 18]] as Array[Array]:
		mesh.add_polygon(PackedInt32Array(polygon))
	var region := NavigationRegion3D.new()
	region.navigation_mesh = mesh
	add_child(region)
