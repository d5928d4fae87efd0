extends NpcTestCase
## The panel of a running game, used with the keyboard, with a real server: out=FOLDER for pictures of each page.

const MARA := "mara_voss"

var errors: Array[String] = []
var panel: NpcPanel


func run() -> void:
	NpcServer.failed.connect(func(error: NpcError) -> void: errors.append(str(error)))
	open_town()
	check(await until(NpcServer.is_playing), "It never played.")
	NpcServer.time_scale = 1800.0
	check(await until(func() -> bool: return fmod(NpcServer.game_time_s, 86400.0) >= 10.0 * 3600.0), "Ten o'clock never came.")
	NpcServer.time_scale = 60.0
	var reply := NpcServer.say(MARA, "Robin", "Good morning! What is your name?")
	await reply.done()
	result["closed_at_first"] = NpcPanelHost.find(self).panel == null
	await press(NpcPanelHost.get_key())
	panel = NpcPanelHost.find(self).panel
	check(panel != null and panel.visible, "The key does not open the panel.")
	check(await until(func() -> bool: return not panel.view.people.is_empty()), "Nobody is listed: %s" % panel.view.problem)
	panel.view.choose(MARA)
	await _look_at_everybody()
	await _look_at_mind()
	await _look_at_memories()
	await _recall()
	await _look_at_relations()
	await _look_at_reflections()
	await _look_at_questions()
	await _close()
	result["errors"] = errors


func _look_at_everybody() -> void:
	var page := await _open("Everybody")
	var rows: Array = page.get("list").get("rows")
	result["everybody"] = rows.map(func(row: RefCounted) -> Array: return [row.get("message")["npc_id"], row.get("title"), row.get("note")])
	await _picture("everybody")


func _look_at_mind() -> void:
	var page := await _open("Mind")
	check(await until(func() -> bool: return not (page.get("plan").get("rows") as Array).is_empty()), "No plan came.")
	result["plan"] = (page.get("plan").get("rows") as Array).map(func(row: RefCounted) -> Array: return [row.get("title"), row.get("note")])
	await _picture("mind")


func _look_at_memories() -> void:
	var page := await _open("Memories")
	var list: Control = page.get("list")
	check(await until(func() -> bool: return not (list.get("rows") as Array).is_empty()), "No memories came.")
	result["memories"] = (list.get("rows") as Array).slice(0, 5).map(
		func(row: RefCounted) -> Array: return [row.get("title"), row.get("note")]
	)
	# What comes while somebody looks appears near the top. On a slow machine more may have come since.
	NpcServer.perceive(MARA, "event", "", "A red balloon drifts over the square", "millbrook:lane:square")
	var is_balloon := func(row: RefCounted) -> bool: return "red balloon" in str(row.get("title"))
	var has_come := func() -> bool: return (list.get("rows") as Array).slice(0, 10).any(is_balloon)
	result["came"] = await until(has_come)
	list.grab_focus()
	await press(KEY_DOWN)
	await press(KEY_DOWN)
	result["chosen_by_key"] = list.call("index_of", list.get("chosen"))
	await _picture("memories")


func _recall() -> void:
	var page := await _open("Recall")
	page.call("recall", "What is drifting over the square?")
	var list: Control = page.get("list")
	check(await until(func() -> bool: return not (list.get("rows") as Array).is_empty()), "Nothing came to mind.")
	var rows: Array = list.get("rows")
	result["recalled"] = rows.slice(0, 3).map(
		func(row: RefCounted) -> Array: return [row.get("title"), Array(row.get("parts") as PackedFloat32Array)]
	)
	list.call("choose", 0)
	await _picture("recall")


func _look_at_relations() -> void:
	var page := await _open("Relations")
	var graph: Control = page.get("graph")
	check(await until(func() -> bool: return (graph.call("get_people") as Array).size() > 1), "No relationships came.")
	result["relations"] = graph.call("get_people")
	graph.call("pick", "tobin_hale")
	await _picture("relations")
	(page.get("everybody") as CheckButton).button_pressed = true
	check(await until(func() -> bool: return graph.get("is_round")), "Not everybody came.")
	await _picture("relations_of_all")


func _look_at_reflections() -> void:
	var page := await _open("Reflections")
	var tree: Tree = page.get("tree")
	check(await until(func() -> bool: return tree.get_root() != null), "No reflections came.")
	var first := tree.get_root().get_child(0)
	if first.get_metadata(0) is Dictionary:
		first.collapsed = false
		await until(func() -> bool: return first.get_child(0).get_text(0) != "…")
		first.select(0)
	result["reflections"] = tree.get_root().get_children().map(
		func(item: TreeItem) -> Array: return [item.get_text(0), item.get_child_count()]
	)
	await _picture("reflections")


func _look_at_questions() -> void:
	var page := await _open("Questions")
	var list: Control = page.get("list")
	check(await until(func() -> bool: return not (list.get("rows") as Array).is_empty()), "No questions came.")
	var rows: Array = list.get("rows")
	result["questions"] = rows.map(func(row: RefCounted) -> Array: return [row.get("title"), row.get("note")])
	for i: int in rows.size():
		if str(rows[i].get("title")).begins_with("say:"):
			list.call("choose", i)
			break
	await _picture("questions")


## Closed, the panel asks nothing.
func _close() -> void:
	await press(KEY_ESCAPE)
	check(not panel.visible, "Escape does not close the panel.")
	await let_frames_pass(5)
	var before := panel.view.asked
	await get_tree().create_timer(2.5).timeout
	result["asked_while_closed"] = panel.view.asked - before


func _open(called: String) -> Control:
	panel.show_page(called)
	await let_frames_pass(3)
	return panel.pages[called]


func _picture(called: String) -> void:
	var folder := argument("out")
	if folder.is_empty():
		return
	await let_frames_pass(4)
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png(folder.path_join("panel_%s.png" % called))
