extends NpcTestCase
## What a frame of the demo costs the main thread, by part, with a real server: hour=H, scale=GAME_SECONDS, frames=N.

const FPS := 60


func run() -> void:
	Engine.max_fps = FPS
	var town := open_town()
	await get_tree().process_frame
	await play_until_hour(float(argument("hour", "9")))
	NpcServer.time_scale = float(argument("scale", "60"))
	await get_tree().create_timer(3.0).timeout
	var probe := NpcFrameProbe.new()
	add_child(probe)
	probe.watch(town)
	await get_tree().process_frame
	probe.clear()
	var walked := 0
	var count := int(argument("frames", "600"))
	for i: int in count:
		await get_tree().process_frame
		for person: DemoPerson in town.people:
			walked += 1 if person.get_agent().doing == NpcAgent.Doing.WALKING else 0
	result = {
		"godot": Engine.get_version_info()["string"],
		"town": town.plan.name,
		"people": town.people.size(),
		"walking": walked / float(count),
		"costs": probe.costs,
		"rendering": probe.rendering,
		"redraws": probe.redraws,
		"frames": count,
	}
