extends NpcTestCase
## Everybody moves about for a day, an hour at a time, near and from afar. No label covers another or a person, and none is cut
## off. Counts what a layout costs. text=largest plays with this setting.

const MONDAY := 1_777_852_800.0

var town: DemoTown


func run() -> void:
	DemoSettings.change("text", argument("text", "normal"))
	town = open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "No town.")
	await get_tree().process_frame
	NpcServer.time_scale = 0.0
	var layouts := 0
	var bad := 0
	var hidden := 0
	var cost := 0
	for hour: int in 24:
		NpcServer.game_time_s = MONDAY + hour * 3600.0
		_spread(hour)
		for zoom: float in [0.0, 1.0] as Array[float]:
			_look_from(zoom, hour)
			await let_frames_pass(3)
			layouts += 1
			bad += _count_covered()
			for label: DemoLabel in town.labels._labels:
				hidden += 1 if not label.visible and DemoCamera.WINDOW.encloses(label.figure) else 0
			var since := Time.get_ticks_usec()
			town.labels._place()
			cost += Time.get_ticks_usec() - since
	result = {"layouts": layouts, "covered": bad, "hidden": hidden, "layout_ms": cost / 1000.0 / layouts, "people": town.people.size()}


## By day people are at objects all over the town, at night most are at home.
func _spread(hour: int) -> void:
	for i: int in town.people.size():
		var address := town.plan.people[i].home
		if hour in range(6, 23) and (i + hour) % 5 != 0:
			address = town.plan.objects[(i * 37 + hour * 101) % town.plan.objects.size()].address
		town.people[i].global_position = NpcObject.by_address(address).get_spot()


func _look_from(zoom: float, hour: int) -> void:
	var camera := town._camera
	camera.fit(Rect2(town.get_ground_offset(), town.plan.size * DemoTown.CELL))
	if zoom > 0.0:
		camera.zoom = Vector2.ONE * zoom
		camera.position = town.people[hour % town.people.size()].global_position - Vector2(480, 380) / zoom
	camera.zoomed.emit()


func _count_covered() -> int:
	var texts := town.labels._names.get_shown_rects()
	var people: Array[Rect2] = []
	for label: DemoLabel in town.labels._labels:
		people.append(get_viewport().canvas_transform * label.person.get_area())
		if label.visible:
			texts.append(label.get_shown_rect())
	var found := 0
	for i: int in texts.size():
		for j: int in i:
			found += 1 if texts[i].grow(-0.5).intersects(texts[j]) else 0
		for person: Rect2 in people:
			found += 1 if texts[i].grow(-1.0).intersects(person) else 0
		found += 0 if DemoCamera.WINDOW.grow(8.0).encloses(texts[i]) else 1
	return found
