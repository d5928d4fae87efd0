extends Node2D
## People who walk on the navigation of a [TileMapLayer]. The map has their walls and doors, and an [NpcPlace] on it says
## which tiles are the taproom and which are the yard.

## The title at the top of the screen.
const TITLE := "TileMapLayer: the tiles are the navigation"


func _ready() -> void:
	RecipeInn.play("recipe tiles")


func _draw() -> void:
	draw_rect(Rect2(-2000, -2000, 6000, 6000), Color("6f8f52"))
	draw_string(ThemeDB.fallback_font, Vector2(80, 90), TITLE, HORIZONTAL_ALIGNMENT_LEFT, -1, 28, Color.WHITE)
