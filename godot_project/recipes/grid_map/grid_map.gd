extends Node3D
## People who walk on a navigation mesh that is baked from a [GridMap]. The map has the floor, the walls and the doorway, and an
## [NpcPlace3D] says which cells are the taproom and which are the yard.

@onready var _ground: NavigationRegion3D = $Ground


func _ready() -> void:
	# Here the map is made from text when the game starts. Bake a map that you drew in the editor there.
	bake()
	RecipeInn.play("recipe grid")


## Makes the navigation mesh from the cells and from what stands on them. Do it again when the game changes the map.
func bake() -> void:
	# Deferred, because a map makes the collision shapes of new cells at the end of the frame.
	_ground.bake_navigation_mesh.call_deferred(false)
