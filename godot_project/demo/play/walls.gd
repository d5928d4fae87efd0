class_name DemoWalls
extends StaticBody2D
## What the player's body cannot walk through: walls, furniture, and the edge of the town. The people of the town need none,
## because they walk on the navigation mesh.

## Furniture is a little smaller than its cell, so that one can pass between two pieces.
const SLIM := 3.0
const EDGE := 40.0
## The physics layers of what one cannot see through, and of what one can.
const WALLS := 1
const FURNITURE := 2


static func make_walls(plan: DemoTownPlan) -> DemoWalls:
	var made := DemoWalls.new()
	made.collision_layer = WALLS
	made._add_rows(plan, plan.walls, 0.0)
	var all := DemoTownPlan.to_pixels(Rect2i(Vector2i.ZERO, plan.size))
	made._add(Rect2(all.position.x - EDGE, all.position.y, EDGE, all.size.y))
	made._add(Rect2(all.end.x, all.position.y, EDGE, all.size.y))
	made._add(Rect2(all.position.x, all.position.y - EDGE, all.size.x, EDGE))
	made._add(Rect2(all.position.x, all.end.y, all.size.x, EDGE))
	return made


static func make_furniture(plan: DemoTownPlan) -> DemoWalls:
	var made := DemoWalls.new()
	made.collision_layer = FURNITURE
	made._add_rows(plan, plan.taken, SLIM)
	return made


## Adds a shape for each row of cells that lie side by side.
func _add_rows(plan: DemoTownPlan, cells: Dictionary[Vector2i, bool], slim: float) -> void:
	for y: int in plan.size.y:
		var x := 0
		while x < plan.size.x:
			var end := x
			while end < plan.size.x and cells.has(Vector2i(end, y)):
				end += 1
			if end > x:
				_add(DemoTownPlan.to_pixels(Rect2i(x, y, end - x, 1)).grow(-slim))
			x = end + 1


func _add(area: Rect2) -> void:
	var box := RectangleShape2D.new()
	box.size = area.size
	var shape := CollisionShape2D.new()
	shape.shape = box
	shape.position = area.get_center()
	add_child(shape)
