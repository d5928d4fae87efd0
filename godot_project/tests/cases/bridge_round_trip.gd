extends NpcTestCase
## Sends every dictionary of a file through the bridge's message types, and writes what comes back.


func run() -> void:
	var bridge := NpcBridge.new()
	check(bridge.is_available(), "The native library is not loaded.")
	await connect_bridge(bridge)
	var given: Array = bytes_to_var(FileAccess.get_file_as_bytes(argument("in")))
	var order: Dictionary = {}
	for pair: Array in given:
		order[bridge.check(str(pair[0]), pair[1] as Dictionary)] = order.size()
	var answers: Array = []
	answers.resize(given.size())
	var got: Array[int] = [0]
	var all_there := func() -> bool:
		for event: Dictionary in bridge.drain():
			answers[order[event["id"]]] = event
			got[0] += 1
		return got[0] >= given.size()
	check(await until(all_there), "Only %d of %d came back." % [got[0], given.size()])
	var out := FileAccess.open(argument("out"), FileAccess.WRITE)
	out.store_buffer(var_to_bytes(answers))
	out.close()
	result = {"answers": got[0]}
