extends NpcTestCase
## Where there is a panel, and with which key.


func run() -> void:
	result["allowed"] = [NpcPanelHost.is_allowed(true), NpcPanelHost.is_allowed(false)]
	ProjectSettings.set_setting(NpcSettings.PANEL_IN_RELEASE, true)
	result["allowed"].append(NpcPanelHost.is_allowed(false))
	ProjectSettings.set_setting(NpcSettings.PANEL_IN_RELEASE, false)
	var keys: Array[bool] = []
	for key: String in ["F8", ""]:
		ProjectSettings.set_setting(NpcSettings.PANEL_KEY, key)
		var was_open := NpcPanelHost.find(self).panel != null
		await _press(KEY_F8)
		keys.append((NpcPanelHost.find(self).panel != null and NpcPanelHost.find(self).panel.visible) and not was_open)
	result["keys"] = keys


func _press(key: Key) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.pressed = true
	Input.parse_input_event(event)
	await let_frames_pass(2)
