class_name NpcTestTiles
extends TileMapLayer
## A map of tiles made from lines of text: "#" is a wall that stops bodies, and every other letter is ground with navigation
## up to its edge, as a tile set gives it.

## The side of a tile in pixels.
const TILE := 32

const GROUND := Vector2i(0, 0)
const WALL := Vector2i(1, 0)


## Fills the map.
func build(lines: PackedStringArray) -> void:
	tile_set = _make_tile_set()
	for y: int in lines.size():
		for x: int in lines[y].length():
			set_cell(Vector2i(x, y), 0, WALL if lines[y][x] == "#" else GROUND)


## Returns the global position of the middle of a tile.
func middle_of(x: int, y: int) -> Vector2:
	return to_global(map_to_local(Vector2i(x, y)))


## Adds a place that covers tiles.
func add_place(address: String, tiles: Rect2i, in_sight: bool = false) -> NpcPlace:
	var place := NpcPlace.new()
	place.address = address
	place.position = Vector2(tiles.position * TILE)
	place.size = Vector2(tiles.size * TILE)
	place.open = in_sight
	add_child(place)
	return place


## Adds an object in the middle of a tile.
func add_object(address: String, x: int, y: int) -> NpcObject:
	var object := NpcObject.new()
	object.address = address
	object.display_name = address.get_slice(":", address.count(":"))
	object.position = map_to_local(Vector2i(x, y))
	add_child(object)
	return object


## Adds a [CharacterBody2D] with a round shape, and its agent.
func add_person(id: String, x: int, y: int, radius: float = 10.0) -> NpcAgent:
	var body := CharacterBody2D.new()
	body.motion_mode = CharacterBody2D.MOTION_MODE_FLOATING
	body.position = map_to_local(Vector2i(x, y))
	var holder := CollisionShape2D.new()
	var circle := CircleShape2D.new()
	circle.radius = radius
	holder.shape = circle
	body.add_child(holder)
	var agent := NpcAgent.new()
	agent.persona_id = id
	body.add_child(agent)
	add_child(body)
	return agent


func _make_tile_set() -> TileSet:
	var tiles := TileSet.new()
	tiles.tile_size = Vector2i(TILE, TILE)
	tiles.add_physics_layer()
	tiles.add_navigation_layer()
	var source := TileSetAtlasSource.new()
	source.texture = ImageTexture.create_from_image(Image.create_empty(TILE * 2, TILE, false, Image.FORMAT_RGBA8))
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
