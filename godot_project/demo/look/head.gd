class_name DemoHead
## Draws a person's head as it looks in a direction.

const SIZE := 6.7


## Paints a head around the origin. [param look] points to where the person looks.
static func paint(brush: DemoBrush, colours: Array[Color], looks: DemoLooks, look: Vector2) -> void:
	var hair: Color = colours[1]
	var is_away := look.y < -1.0
	_paint_hair_behind(brush, hair, looks, look)
	brush.disc(Vector2.ZERO, SIZE + 0.9, colours[2].darkened(0.45))
	brush.disc(Vector2.ZERO, SIZE, colours[2])
	if is_away:
		if not looks.hair.begins_with("bald"):
			brush.disc(Vector2(0, -0.4), SIZE, hair)
	else:
		_paint_face(brush, colours, looks, look)
	_paint_hair_above(brush, hair, looks, look, is_away)
	_paint_hat(brush, colours[0], looks, look)


static func _paint_face(brush: DemoBrush, colours: Array[Color], looks: DemoLooks, look: Vector2) -> void:
	var shift := look.x * 1.15
	for side: float in [-1.0, 1.0] as Array[float]:
		# Of somebody who looks aside, the far eye comes close to the edge.
		if absf(shift) > 2.2 and signf(shift) != side:
			continue
		brush.disc(Vector2(side * 2.3 + shift, 0.6), 1.05, DemoPalette.INK)
		brush.disc(Vector2(side * 3.6 + shift * 0.7, 2.6), 1.1, Color(DemoPalette.BLUSH, 0.5))
	if looks.hair.ends_with("beard"):
		brush.disc(Vector2(shift * 0.7, 4.0), 4.0, colours[1].darkened(0.08), 0.75)
		brush.line(Vector2(-1.2 + shift, 3.0), Vector2(1.2 + shift, 3.0), 1.0, DemoPalette.BLUSH.darkened(0.4))
	else:
		brush.line(Vector2(-1.0 + shift, 3.5), Vector2(1.0 + shift, 3.5), 0.9, colours[2].darkened(0.45))


static func _paint_hair_behind(brush: DemoBrush, hair: Color, looks: DemoLooks, look: Vector2) -> void:
	match looks.hair:
		"long":
			# In front it hangs down at both sides; below the chin it would be a beard.
			for side: float in [-1.0, 1.0] as Array[float]:
				brush.line(Vector2(side * 5.6, -2), Vector2(side * 5.8, 8), 4.0, hair.darkened(0.12))
			if look.y < -1.0:
				brush.rect(Rect2(-SIZE, -2, SIZE * 2.0, 10), hair.darkened(0.12))
		"ponytail":
			var side := -1.0 if look.x > 0.5 else 1.0
			brush.line(Vector2(side * 4.5, -3), Vector2(side * 8.5, 5), 4.0, hair.darkened(0.1))
		"bun":
			brush.disc(Vector2(0, -7.5), 3.6, hair.darkened(0.1))
		"curly":
			for i: int in 9:
				brush.disc(Vector2.from_angle(PI + i * PI / 8.0) * (SIZE + 0.6) + Vector2(0, 0.5), 2.9, hair.darkened(0.1))


static func _paint_hair_above(brush: DemoBrush, hair: Color, looks: DemoLooks, look: Vector2, is_away: bool) -> void:
	if looks.hair.begins_with("bald"):
		for side: float in [-1.0, 1.0] as Array[float]:
			brush.disc(Vector2(side * 5.8 - look.x * 0.4, 0.0), 2.1, hair)
		return
	if is_away:
		brush.line(Vector2(0, -SIZE), Vector2(0, 1), 1.0, hair.darkened(0.2))
		return
	var cap := PackedVector2Array()
	for i: int in 11:
		cap.append(Vector2.from_angle(PI * 1.03 + i * PI * 0.94 / 10.0) * (SIZE + 0.5))
	var shift := clampf(look.x, -2.0, 2.0)
	cap.append(Vector2(4.6 + shift * 0.4, -2.6))
	cap.append(Vector2(-1.0 + shift, -3.6))
	brush.shape(cap, hair)
	brush.shape([cap[0], cap[1], cap[2], Vector2(-3.6 + shift * 0.4, -1.4)], hair)
	brush.disc(Vector2(-2.0, -5.0), 1.6, hair.lightened(0.18), 0.6)


static func _paint_hat(brush: DemoBrush, coat: Color, looks: DemoLooks, look: Vector2) -> void:
	match looks.hat:
		"cap":
			brush.disc(Vector2(0, -4.6), SIZE, coat.darkened(0.35), 0.62)
			brush.disc(Vector2(look.x * 1.6, -2.6 + look.y * 0.2), 5.0, coat.darkened(0.5), 0.35)
		"straw":
			brush.disc(Vector2(0, -3.6), 10.5, DemoPalette.STRAW.darkened(0.25), 0.42)
			brush.disc(Vector2(0, -4.2), 10.0, DemoPalette.STRAW, 0.4)
			brush.disc(Vector2(0, -6.6), 5.6, DemoPalette.STRAW.lightened(0.1), 0.75)
			brush.rect(Rect2(-5.4, -6.2, 10.8, 1.8), coat)
		"hat":
			brush.disc(Vector2(0, -4.0), 9.4, DemoPalette.INK, 0.36)
			brush.rect(Rect2(-5.2, -11.5, 10.4, 8), coat.darkened(0.55))
			brush.rect(Rect2(-5.2, -6.0, 10.4, 1.8), coat.lightened(0.25))
		"scarf":
			brush.disc(Vector2(0, -4.2), SIZE + 0.4, coat.lightened(0.25), 0.68)
			brush.line(Vector2(-6.4, -2.2), Vector2(6.4, -2.2), 1.6, coat.darkened(0.1))
