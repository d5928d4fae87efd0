class_name RecipeTiles
extends TileMapLayer
## A map of tiles made from lines of text: "#" is a wall that stops bodies, and every other letter is ground with navigation
## up to its edge, as a tile set gives it.
##
## In a game, draw the map in the editor instead: give the tile set a physics layer and a navigation layer, the tiles of
## walls a collision polygon, and those of the ground a navigation polygon.

## The side of a tile in pixels.
const TILE := 32

const GROUND := Vector2i(0, 0)
const WALL := Vector2i(1, 0)

## The lines of the map.
@export var lines: PackedStringArray = []


func _ready() -> void:
	if not lines.is_empty():
		build(lines)


## Fills the map.
func build(from: PackedStringArray) -> void:
	tile_set = _make_tile_set()
	for y: int in from.size():
		for x: int in from[y].length():
			set_cell(Vector2i(x, y), 0, WALL if from[y][x] == "#" else GROUND)


## Returns the global position of the middle of a tile.
func middle_of(x: int, y: int) -> Vector2:
	return to_global(map_to_local(Vector2i(x, y)))


func _make_tile_set() -> TileSet:
	var tiles := TileSet.new()
	tiles.tile_size = Vector2i(TILE, TILE)
	tiles.add_physics_layer()
	tiles.add_navigation_layer()
	var source := TileSetAtlasSource.new()
	source.texture = _make_picture()
	source.texture_region_size = Vector2i(TILE, TILE)
	tiles.add_source(source, 0)
	source.create_tile(GROUND)
	source.create_tile(WALL)
	var half := TILE / 2.0
	var square := PackedVector2Array([Vector2(-half, -half), Vector2(half, -half), Vector2(half, half), Vector2(-half, half)])
	var ground := NavigationPolygon.new()
	ground.vertices = square
	ground.add_polygon(PackedInt32Array([0, 1, 2, 3]))
	source.get_tile_data(GROUND, 0).set_navigation_polygon(0, ground)
	var wall := source.get_tile_data(WALL, 0)
	wall.add_collision_polygon(0)
	wall.set_collision_polygon_points(0, 0, square)
	return tiles


## Draws both tiles: planks, and a wall with a lighter top.
static func _make_picture() -> ImageTexture:
	var image := Image.create_empty(TILE * 2, TILE, false, Image.FORMAT_RGBA8)
	image.fill_rect(Rect2i(0, 0, TILE, TILE), Color("c39b69"))
	for y: int in [0, 16] as Array[int]:
		image.fill_rect(Rect2i(0, y, TILE, 1), Color("b08a5c"))
	image.fill_rect(Rect2i(TILE, 0, TILE, TILE), Color("5b4638"))
	image.fill_rect(Rect2i(TILE, 0, TILE, 22), Color("7a6150"))
	return ImageTexture.create_from_image(image)
