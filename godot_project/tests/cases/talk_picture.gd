extends NpcTestCase
## Lets a town live with a real server until an hour and takes a picture: hour=H, out=FILE. With who=ID and say=A|B the
## player talks with somebody there. With speakers=N it waits for so many speech bubbles.

var town: DemoTown


func run() -> void:
	town = open_town()
	await get_tree().process_frame
	await play_until_hour(float(argument("hour", "9")))
	NpcServer.time_scale = 60.0
	if not argument("who").is_empty():
		await _talk()
	var speakers := int(argument("speakers", "0"))
	var heard := func() -> bool: return town.labels.count_bubbles() >= speakers
	check(await until(heard), "Nobody speaks.")
	await get_tree().create_timer(1.0).timeout
	await RenderingServer.frame_post_draw
	check(get_viewport().get_texture().get_image().save_png(argument("out")) == OK, "The picture was not written.")


func _talk() -> void:
	var talk := (town.find_children("*", "DemoHud", false, false)[0] as DemoHud).talk
	for person: DemoPerson in town.people:
		if person.get_agent().persona_id == argument("who"):
			talk.open(person)
	for line: String in argument("say", "Good morning.").split("|"):
		talk.panel.spoken.emit(line)
		var answered := func() -> bool: return not talk._get_log(talk.person.get_agent().persona_id).is_waiting()
		check(await until(answered), "No answer to '%s'." % line)
	result = {"text": talk.panel.get_text()}
