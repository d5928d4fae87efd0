extends NpcTestCase
## Takes a picture of each page of the panel: out=FOLDER, who=NPC, hour=H, recall=QUESTION, with=NPC for a relationship.

const LOOK_S := 2.5

var panel: NpcPanel


func run() -> void:
	open_town()
	await get_tree().process_frame
	await play_until_hour(float(argument("hour", "10")))
	NpcServer.time_scale = 60.0
	var who := argument("who", "mara_voss")
	await NpcServer.say(who, "Robin", argument("say", "Good morning! What are you doing today?")).done()
	NpcPanelHost.find(self).toggle()
	panel = NpcPanelHost.find(self).panel
	check(await until(func() -> bool: return not panel.view.people.is_empty()), "Nobody is listed.")
	panel.view.choose(who)
	for called: String in NpcPanel.PAGES:
		panel.show_page(called)
		var page: Control = panel.pages[called]
		if called == "Recall":
			page.call("recall", argument("recall", "What is new in town?"))
		await get_tree().create_timer(LOOK_S).timeout
		await _use(page)
		await get_tree().create_timer(LOOK_S / 2.0).timeout
		await _picture(called.to_lower())
	(panel.pages["Relations"].get("everybody") as CheckButton).button_pressed = true
	panel.show_page("Relations")
	await get_tree().create_timer(LOOK_S * 2.0).timeout
	await _picture("relations_of_all")


## Does what shows the most of a page.
func _use(page: Control) -> void:
	match str(page.name):
		"Memories", "Recall", "Questions":
			var list: Control = page.get("list")
			var rows: Array = list.get("rows")
			var said := rows.find_custom(func(row: RefCounted) -> bool: return str(row.get("title")).begins_with("say:"))
			list.call("choose", maxi(said, 0))
		"Relations":
			page.get("graph").call("pick", argument("with", "tobin_hale"))
		"Reflections":
			var first := (page.get("tree") as Tree).get_root().get_first_child()
			if first.get_first_child() != null:
				first.collapsed = false
			first.select(0)


func _picture(called: String) -> void:
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png(argument("out").path_join("panel_%s.png" % called))
