class_name NpcOutlines
## Draws places and objects of 2D in the editor, where they would be invisible. A running game draws nothing.

## The colour of places.
const PLACE := Color(0.15, 0.8, 0.75)
## The colour of objects.
const OBJECT := Color(1.0, 0.65, 0.1)
## How much of its colour fills a place.
const FILL := 0.06
## The size of names, in pixels.
const FONT_SIZE := 14
## The height of a line of text, in pixels.
const LINE_HEIGHT := 18
## How large a mark is, in pixels.
const MARK := 5.0


## Draws a place: its rectangle, its name and its spots. Called while the node is drawn.
static func draw_place(place: NpcPlace) -> void:
	if not _begin(place):
		return
	var area := Rect2(Vector2.ZERO, place.size)
	place.draw_rect(area, Color(PLACE, FILL))
	place.draw_rect(area, PLACE, false)
	for spot: Vector2 in place.spots:
		place.draw_circle(spot, MARK, PLACE, false)
	# A line for each level, because a building and its only room may begin at the same point.
	var at := Vector2(MARK, LINE_HEIGHT * (1 + place.address.count(":")))
	var width := maxf(place.size.x - 2.0 * MARK, 1.0)
	place.draw_string(ThemeDB.fallback_font, at, place.get_name_or_address(), HORIZONTAL_ALIGNMENT_LEFT, width, FONT_SIZE, PLACE)


## Draws a cross on an object, and a circle where people stand to use it. Called while the node is drawn.
static func draw_object(object: NpcObject) -> void:
	if not _begin(object):
		return
	for arm: Vector2 in [Vector2(MARK, MARK), Vector2(MARK, -MARK)] as Array[Vector2]:
		object.draw_line(-arm, arm, OBJECT)
	object.draw_circle(object.stand, MARK, OBJECT, false)
	if object.stand != Vector2.ZERO:
		object.draw_line(Vector2.ZERO, object.stand, Color(OBJECT, 0.5))


## Draws a node again that has changed. Does nothing in a running game.
static func redraw(node: Node) -> void:
	if not Engine.is_editor_hint():
		return
	if node is Node3D:
		(node as Node3D).update_gizmos()
	else:
		(node as Node2D).queue_redraw()


## Undoes how the node is turned and scaled, because a 2D place or object is neither. Returns [code]false[/code] for a node
## without any size.
static func _begin(node: Node2D) -> bool:
	var world := node.global_transform
	if is_zero_approx(world.determinant()):
		return false
	node.draw_set_transform_matrix(world.affine_inverse() * Transform2D(0.0, world.origin))
	return true
