class_name RecipeThing3D
extends NpcObject3D
## An object of the grid map's inn: a box with its name above, which people walk around.

const SIZE := Vector3(1.4, 0.9, 0.8)


func _ready() -> void:
	super()
	var middle := Vector3(0, SIZE.y / 2.0, 0)
	var paint := StandardMaterial3D.new()
	paint.albedo_color = Color("8a623f")
	var mesh := BoxMesh.new()
	mesh.size = SIZE
	mesh.material = paint
	var seen := MeshInstance3D.new()
	seen.mesh = mesh
	seen.position = middle
	add_child(seen)
	var box := BoxShape3D.new()
	box.size = SIZE
	var holder := CollisionShape3D.new()
	holder.shape = box
	holder.position = middle
	var body := StaticBody3D.new()
	body.add_child(holder)
	add_child(body)
	add_child(RecipePerson3D.make_words(display_name, SIZE.y + 0.4, 40))
