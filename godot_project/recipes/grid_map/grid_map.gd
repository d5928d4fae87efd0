extends Node3D
## People who walk on the navigation of a [GridMap]. Each room is an [NpcPlace3D] that stands on the map's floor.


func _ready() -> void:
	RecipeInn.play("recipe blocks")
