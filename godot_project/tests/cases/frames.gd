extends NpcTestCase
## What a frame of the demo costs the main thread, by part, with a real server: hour=H, scale=GAME_SECONDS, frames=N. With
## [code]played[/code] it is the game, whose player walks from one person to the next, and else the town that one watches.

const FPS := 60
## The player turns to somebody else after this many frames.
const WALK := 90

var town: DemoTown
var game: DemoGame = null


func run() -> void:
	Engine.max_fps = FPS
	if "played" in arguments:
		await _play()
	else:
		town = open_town()
		await get_tree().process_frame
	await play_until_hour(float(argument("hour", "9")))
	NpcServer.time_scale = float(argument("scale", "60"))
	await get_tree().create_timer(3.0).timeout
	var probe := NpcFrameProbe.new()
	add_child(probe)
	probe.watch(game if game != null else town as Node)
	await get_tree().process_frame
	probe.clear()
	var walked := 0
	var count := int(argument("frames", "600"))
	for i: int in count:
		if game != null and i % WALK == 0:
			@warning_ignore("integer_division")
			game.avatar.walk_to(town.people[i / WALK % town.people.size()].global_position)
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


func _play() -> void:
	game = (load(DemoStart.GAME) as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(game)
	await let_frames_pass(2)
	game.start("frames", true)
	check(await until(func() -> bool: return game.is_started and not game.rest.is_resting()), "The game never began.")
	town = game.town
