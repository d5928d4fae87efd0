extends NpcTestCase
## Sends much more than a connection takes at once, while the server reads nothing for a while. Each byte must come, in order.

const MESSAGES := 400


func run() -> void:
	ProjectSettings.set_setting(NpcSettings.CERTIFICATE, argument("certificate"))
	var bridge := NpcBridge.new(NpcSocket.new())
	bridge.connect_to(argument("address"), argument("token"), FileAccess.get_file_as_string(argument("certificate")))
	var events: Array[Dictionary] = []
	for i: int in MESSAGES:
		bridge.check("Document", {"name": "%d" % i, "text": ("%d," % i).repeat(8000)})
		if i % 7 == 0:
			await get_tree().process_frame
			events.append_array(bridge.drain())
	var is_done := func() -> bool:
		events.append_array(bridge.drain())
		return events.size() > MESSAGES or events.any(func(event: Dictionary) -> bool: return event["event"] == "failed")
	check(await until(is_done), "Only %d answers came." % events.size())
	var wrong: Array[String] = []
	for event: Dictionary in events:
		var message: Dictionary = event.get("message", {}) if event["event"] == "response" else {}
		if (
			event["event"] == "failed"
			or (message.get("text", "") != ("%s," % message.get("name", "")).repeat(8000 if not message.is_empty() else 0))
		):
			wrong.append(str(event).left(200))
	result = {"wrong": wrong.slice(0, 3)}
