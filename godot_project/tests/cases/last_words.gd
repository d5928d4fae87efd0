extends NpcTestCase
## The player says something and quits.


func run() -> void:
	NpcServer.auto_clock = false
	NpcServer.start()
	check(await until(NpcServer.is_playing), "It never played.")
	NpcServer.say("mara_voss", "Robin", "I have buried the gold under the old oak.")
	await get_tree().process_frame
