extends NpcTestCase
## Bridges are made, used and dropped with open calls. The last one still gets its answers, in order.


func run() -> void:
	for i: int in 200:
		var passing := NpcBridge.new()
		passing.connect_to("127.0.0.1:9", "x")
		passing.check("Perception", {"npc_id": "npc_%d" % i})
		if i % 3 == 0:
			passing.drain()
		if i % 50 == 0:
			await get_tree().process_frame
	var bridge := NpcBridge.new()
	await connect_bridge(bridge)
	var wanted: Array[int] = []
	for i: int in 2000:
		wanted.append(bridge.check("Perception", {"npc_id": "npc_%d" % i, "text": "x".repeat(i)}))
	var got: Array[int] = []
	var largest: Array[int] = [0]
	var all_there := func() -> bool:
		var events := bridge.drain()
		largest[0] = maxi(largest[0], events.size())
		for event: Dictionary in events:
			got.append(event["id"])
		return got.size() >= wanted.size()
	check(await until(all_there), "Only %d of %d answers came." % [got.size(), wanted.size()])
	check(got == wanted, "The answers came in another order.")
	check(largest[0] <= 512, "%d events in one frame." % largest[0])
	var own: Dictionary = {}
	own["self"] = own
	bridge.send(1, own)
	bridge.shutdown()
	bridge.call_unary("SaveService/ListSaves", {})
	var said: Array[String] = []
	var both := func() -> bool:
		for event: Dictionary in bridge.drain():
			said.append(str(event["message"]))
		return said.size() >= 2
	check(await until(both), "A dictionary that holds itself, or a call without a connection, was swallowed: %s" % str(said))
	result = {"said": said}
