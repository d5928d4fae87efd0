class_name DemoPlants
## Draws trees, bushes and street lamps.


static func draw(brush: DemoBrush, scenery: DemoScenery) -> void:
	for bush: Vector3 in scenery.bushes:
		_draw_bush(brush, bush)
	for tree: Vector3 in scenery.trees:
		if tree.z < 0.3:
			_draw_fir(brush, Vector2(tree.x, tree.y), 0.85 + tree.z)
		else:
			paint_tree(brush, Vector2(tree.x, tree.y), tree.z)
	for lamp: Vector2 in scenery.lamps:
		draw_lamp(brush, lamp)


## Draws a lamp whose foot is at a point.
static func draw_lamp(brush: DemoBrush, at: Vector2) -> void:
	brush.disc(at + Vector2(3, 1), 5.0, DemoPalette.SHADOW, 0.5)
	brush.disc(at, 3.0, DemoPalette.IRON, 0.6)
	brush.line(at, at + Vector2(0, -20), 2.2, DemoPalette.IRON)
	brush.rect(Rect2(at + Vector2(-3.5, -27), Vector2(7, 8)), DemoPalette.IRON)
	brush.rect(Rect2(at + Vector2(-2.3, -26), Vector2(4.6, 6)), DemoPalette.LAMP)
	brush.shape([at + Vector2(-5, -27), at + Vector2(0, -31), at + Vector2(5, -27)], DemoPalette.IRON)


## Draws a tree that stands at a point. Another [param kind], from 0 to 1, gives another tree.
static func paint_tree(brush: DemoBrush, at: Vector2, kind: float) -> void:
	var r := 10.0 + fmod(kind * 7.3, 1.0) * 5.0
	var leaf := DemoPalette.LEAF.lerp(DemoPalette.LEAF_WARM, fmod(kind * 13.7, 1.0) * 0.55)
	brush.disc(at + Vector2(6, 6), r * 1.05, DemoPalette.SHADOW, 0.6)
	brush.rect(Rect2(at + Vector2(-2, -2), Vector2(4, 9)), DemoPalette.BARK, DemoPalette.BARK.darkened(0.25))
	var crown := at + Vector2(0, -7)
	for lobe: int in 6:
		var away := Vector2.from_angle(lobe * TAU / 6.0 + kind * 9.0) * r * 0.5
		brush.disc(crown + away, r * 0.62, leaf.darkened(0.16))
	for lobe: int in 5:
		var away := Vector2.from_angle(lobe * TAU / 5.0 + kind * 5.0) * r * 0.38
		brush.disc(crown + away + Vector2(-1, -2.5), r * 0.52, leaf)
	brush.disc(crown + Vector2(-3, -5), r * 0.46, leaf.lightened(0.12))
	brush.disc(crown + Vector2(-4.5, -6.5), r * 0.24, leaf.lightened(0.24))
	if kind > 0.84:  # one that blossoms
		for i: int in 14:
			var away := Vector2.from_angle(i * 2.4) * r * sqrt(i / 14.0) * 0.95
			brush.disc(crown + away, 1.5, DemoPalette.BLOSSOM)


static func _draw_fir(brush: DemoBrush, at: Vector2, size: float) -> void:
	brush.disc(at + Vector2(5, 5), 9.0 * size, DemoPalette.SHADOW, 0.6)
	brush.rect(Rect2(at + Vector2(-1.5, 0), Vector2(3, 6)), DemoPalette.BARK)
	for tier: int in 3:
		var wide := (11.0 - tier * 2.6) * size
		var low := at.y + 2.0 - tier * 7.0 * size
		var top := Vector2(at.x, low - 13.0 * size)
		brush.shape([Vector2(at.x - wide, low), top, Vector2(at.x + wide, low)], DemoPalette.FIR.lightened(tier * 0.05))
		brush.shape([Vector2(at.x - wide, low), top, Vector2(at.x - wide * 0.2, low)], DemoPalette.FIR.lightened(0.1 + tier * 0.05))


static func _draw_bush(brush: DemoBrush, bush: Vector3) -> void:
	var at := Vector2(bush.x, bush.y)
	var r := 4.5 + bush.z * 2.5
	brush.disc(at + Vector2(2, 3), r * 1.2, DemoPalette.SHADOW, 0.6)
	brush.disc(at + Vector2(-r * 0.5, 0), r * 0.8, DemoPalette.LEAF.darkened(0.12))
	brush.disc(at + Vector2(r * 0.5, 0.5), r * 0.8, DemoPalette.LEAF.darkened(0.06))
	brush.disc(at + Vector2(0, -2), r * 0.85, DemoPalette.LEAF.lightened(0.06))
	if bush.z > 0.55:
		var petal: Color = DemoTerrain.PETALS[int(bush.z * 50.0) % DemoTerrain.PETALS.size()]
		for i: int in 5:
			brush.disc(at + Vector2.from_angle(i * 2.5) * r * 0.7 + Vector2(0, -1.5), 1.3, petal)
