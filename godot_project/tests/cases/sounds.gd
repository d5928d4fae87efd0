extends NpcTestCase
## The sounds are made, and play when something happens. With the argument "silent" there are none.

const EVENING := 1_777_852_800.0 + 20.99 * 3600.0


func run() -> void:
	var town := open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "No town.")
	await let_frames_pass(3)
	var sounds: DemoSounds = town.find_children("*", "DemoSounds", false, false)[0]
	if "silent" in arguments:
		DemoSounds.play(&"coin")
		check(sounds.played.is_empty(), "Something is heard: %s" % str(sounds.played))
		result["made"] = DemoSounds._made.keys()
		return
	check(await until(func() -> bool: return not DemoSounds._made.is_empty() and sounds._task < 0), "No sounds are made.")
	var longest := 0.0
	for sound: StringName in DemoSounds._made:
		longest = maxf(longest, DemoSounds._made[sound].get_length())
	result = {"made": DemoSounds._made.keys(), "longest_s": longest}
	NpcServer.time_scale = 0.0
	NpcServer.game_time_s = EVENING
	await let_frames_pass(3)
	NpcServer.game_time_s = EVENING + 60.0
	check(await until(func() -> bool: return sounds.played.get(&"bell", 0) >= 1), "The bell does not strike nine.")
	DemoSounds.play(&"coin")
	check(sounds.played.get(&"coin", 0) == 1, "No coin is heard.")
	town.people[0]._figure.stepped.emit()
	check(sounds.played.keys().any(func(sound: StringName) -> bool: return str(sound).begins_with("step")), "No step is heard.")
	get_tree().paused = true
	await let_frames_pass(3)
	for player: AudioStreamPlayer2D in sounds._near:
		check(not player.playing or not player.can_process(), "A sound goes on in the pause.")
	get_tree().paused = false
