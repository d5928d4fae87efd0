@tool
extends EditorNode3DGizmoPlugin
## Draws places and objects of 3D in the editor, where they would be invisible.

## The material of places.
const PLACE := "place"
## The material of objects.
const OBJECT := "object"
## How long the arms of a mark are, in metres.
const MARK := 0.25


func _init() -> void:
	# Not create_material(): what is not selected would be too faint to be seen.
	add_material(PLACE, _make_material(NpcOutlines.PLACE))
	add_material(OBJECT, _make_material(NpcOutlines.OBJECT))


## The name in the menu View > Gizmos, which hides them.
func _get_gizmo_name() -> String:
	return "npc-server"


func _has_gizmo(node: Node3D) -> bool:
	return node is NpcPlace3D or node is NpcObject3D


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var lines := PackedVector3Array()
	var place := gizmo.get_node_3d() as NpcPlace3D
	if place != null:
		_add_box(lines, place.size)
		for spot: Vector3 in place.spots:
			_add_mark(lines, spot)
	else:
		var object := gizmo.get_node_3d() as NpcObject3D
		_add_mark(lines, Vector3.ZERO)
		if object.stand != Vector3.ZERO:
			_add_mark(lines, object.stand)
			lines.append_array([Vector3.ZERO, object.stand])
	gizmo.add_lines(lines, get_material(PLACE if place != null else OBJECT, gizmo))
	gizmo.add_collision_segments(lines)


func _make_material(color: Color) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.disable_fog = true
	material.albedo_color = color
	return material


## Adds the box of a place, which stands on the node and reaches a little below it.
func _add_box(lines: PackedVector3Array, size: Vector3) -> void:
	var box := AABB(Vector3(-size.x / 2.0, -NpcPlace3D.BELOW_M, -size.z / 2.0), size)
	for from: int in 8:
		for axis: int in [1, 2, 4] as Array[int]:
			if from & axis == 0:
				lines.append_array([box.get_endpoint(from), box.get_endpoint(from | axis)])


func _add_mark(lines: PackedVector3Array, at: Vector3) -> void:
	for arm: Vector3 in [Vector3.RIGHT, Vector3.UP, Vector3.BACK] as Array[Vector3]:
		lines.append_array([at - arm * MARK, at + arm * MARK])
