class_name NpcTestTiles
extends RecipeTiles
## The map of tiles of the recipe, to which tests add places, objects and people.


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
