extends NpcTestCase
## Takes pictures of the town at several hours, from afar and near: out=FOLDER, hours=9.5,13, zooms=0,1.7, at=0.3,0.4.

const MONDAY := 1_777_852_800.0

var town: DemoTown


func run() -> void:
	town = open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "No town.")
	await get_tree().process_frame
	NpcServer.time_scale = 0.0
	for hour: String in argument("hours", "9.5,2").split(","):
		NpcServer.game_time_s = MONDAY + float(hour) * 3600.0
		_spread(float(hour))
		for zoom: String in argument("zooms", "0,1.7").split(","):
			await _take(float(zoom), "%s/%s_%s_%s.png" % [argument("out"), town.plan.id, hour, zoom])


## Puts everybody somewhere: at night into bed, by day at some object.
func _spread(hour: float) -> void:
	var is_night := hour < 6.0 or hour > 23.0
	for i: int in town.people.size():
		var person := town.people[i]
		var home := NpcObject.by_address(town.plan.people[i].home)
		if is_night and i % 4 != 0:
			person.global_position = home.get_spot()
			continue
		var object := town.plan.objects[(i * 37 + int(hour) * 11) % town.plan.objects.size()]
		person.global_position = NpcObject.by_address(object.address).get_spot()
		person._figure.look(Vector2.from_angle(i * 1.1))


func _take(zoom: float, file: String) -> void:
	if zoom > 0.0:
		var at := argument("at", "0.3,0.4").split(",")
		var middle := Vector2(town.plan.size * DemoTown.CELL) * Vector2(float(at[0]), float(at[1]))
		town._camera.zoom = Vector2.ONE * zoom
		town._camera.position = town.get_ground_offset() + middle - Vector2(640, 360) / zoom
	else:
		town._camera.fit(Rect2(town.get_ground_offset(), town.plan.size * DemoTown.CELL))
	town._camera.zoomed.emit()
	await let_frames_pass(5)
	await get_tree().create_timer(0.7).timeout
	await RenderingServer.frame_post_draw
	var image := get_viewport().get_texture().get_image()
	check(image.save_png(file) == OK, "The picture was not written to %s." % file)
	result[file.get_file()] = {
		"draw_calls": RenderingServer.get_rendering_info(RenderingServer.RENDERING_INFO_TOTAL_DRAW_CALLS_IN_FRAME),
		"objects": RenderingServer.get_rendering_info(RenderingServer.RENDERING_INFO_TOTAL_OBJECTS_IN_FRAME),
	}
