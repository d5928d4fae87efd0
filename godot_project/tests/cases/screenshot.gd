extends NpcTestCase
## Opens the town with people at work in it and takes a picture: out=FILE, hour=H.

const SCENES := [
	["mara_voss", "Mara is kneading the morning's dough", "cafe:kitchen:oven", "🍞", "bake", "hot", "model"],
	["tobin_hale", "Tobin is turning the legs of a chair", "workshop:work_floor:lathe", "🔨", "turn wood", "turning", "instinct"],
	["ines_calder", "Ines is watering the flowers on the green", "green:lawn:flower_bed", "🌷", "water the flowers", "watered", "policy"],
]


func run() -> void:
	var town := open_town()
	await get_tree().process_frame
	await get_tree().physics_frame
	NpcServer.game_time_s = 1_777_852_800.0 + float(argument("hour", "9.4")) * 3600.0
	NpcServer.time_scale = 900.0
	for scene: Array in SCENES:
		_act(scene, town.plan.id)
	var arrived := func() -> bool:
		return town.people.all(func(person: DemoPerson) -> bool: return person.get_agent().doing == NpcAgent.Doing.ACTING)
	check(await until(arrived), "Somebody did not arrive.")
	NpcServer.time_scale = 60.0
	NpcServer.decisions = {"model": 41, "chosen": 6, "policy": 17, "instinct": 8}
	NpcServer.thought_received.emit("tobin_hale", "If the oak is dry enough, the back rest can be bent before noon.", "instinct")
	NpcServer.thought_received.emit("ines_calder", "Mara must hear about the midsummer supper before anybody else does.", "model")
	NpcServer.speech_received.emit(
		"mara_voss", "Nine loaves, and two of them are already promised to the mill.", PackedStringArray(), false
	)
	await let_frames_pass(8)
	var out := argument("out")
	if not out.is_empty():
		await RenderingServer.frame_post_draw
		var image := get_viewport().get_texture().get_image()
		check(image.save_png(out) == OK, "The picture was not written to %s." % out)
		result = {"size": [image.get_width(), image.get_height()], "colours": _count_colours(image)}


func _act(scene: Array, town: String) -> void:
	var action := NpcAction.new()
	action.npc_id = scene[0]
	action.action_id = "a-" + action.npc_id
	action.sentence = scene[1]
	action.address = "%s:%s" % [town, scene[2]]
	action.emoji = scene[3]
	action.object_action = scene[4]
	action.object_state = scene[5]
	action.source = scene[6]
	action.end_s = int(NpcServer.game_time_s) + 86_000
	NpcServer.action_received.emit(action.npc_id, action)


func _count_colours(image: Image) -> int:
	var found: Dictionary = {}
	for y: int in range(0, image.get_height(), 4):
		for x: int in range(0, image.get_width(), 4):
			found[image.get_pixel(x, y).to_rgba32()] = true
	return found.size()
