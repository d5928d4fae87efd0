extends NpcTestCase
## Lets Alderwick live with a real server until an hour, talks with somebody there and takes a picture: hour=H, who=ID, say=A|B, out=FILE.


func run() -> void:
	var town: DemoTown = (load("res://demo/town.tscn") as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(town)
	await get_tree().process_frame
	check(await until(NpcServer.is_playing, 60.0), "It never played.")
	NpcServer.time_scale = 900.0
	var hour := float(argument("hour", "9"))
	check(await until(func() -> bool: return fmod(NpcServer.game_time_s, 86400.0) >= hour * 3600.0, 60.0), "The hour never came.")
	NpcServer.time_scale = 60.0
	var talk := (town.find_children("*", "DemoHud", false, false)[0] as DemoHud).talk
	for person: DemoPerson in town.people:
		if person.get_agent().persona_id == argument("who", "agnes_rook"):
			talk.open(person)
	for line: String in argument("say", "Good morning.").split("|"):
		talk.panel.spoken.emit(line)
		var answered := func() -> bool: return not talk._log_of(talk.person.get_agent().persona_id).is_waiting()
		check(await until(answered, 60.0), "No answer to '%s'." % line)
	await get_tree().create_timer(1.0).timeout
	result = {"text": talk.panel.get_text()}
	await RenderingServer.frame_post_draw
	check(get_viewport().get_texture().get_image().save_png(argument("out")) == OK, "The picture was not written.")
