extends NpcTestCase
## What the socket says of servers that it cannot or must not speak with: each argument is try=ADDRESS|TOKEN|CERTIFICATE.


func run() -> void:
	var said: Array[Array] = []
	for given: String in arguments:
		if not given.begins_with("try="):
			continue
		var parts := given.trim_prefix("try=").split("|")
		ProjectSettings.set_setting(NpcSettings.CERTIFICATE, parts[2])
		var bridge := NpcBridge.new(NpcSocket.new())
		bridge.connect_to(parts[0], parts[1], FileAccess.get_file_as_string(parts[2]) if not parts[2].is_empty() else "")
		var events: Array[Dictionary] = []
		var is_over := func() -> bool:
			events.append_array(bridge.drain())
			return not events.is_empty()
		check(await until(is_over), "Nothing is said of %s." % parts[0])
		said.append([events[0]["event"], events[0].get("reason", ""), events[0].get("message", "")])
		bridge.shutdown()
	result = {"said": said}
