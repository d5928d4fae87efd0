extends NpcTestCase
## What the export says for systems that run no server, by the address in the project settings.


func run() -> void:
	var said: Dictionary = {}
	for address: String in ["127.0.0.1:50551", "wss://npc.example.org", "tls://npc.example.org:443"]:
		ProjectSettings.set_setting(NpcSettings.ADDRESS, address)
		for system: String in ["web", "android"]:
			var features := PackedStringArray([system, "mobile", "release"])
			said["%s %s" % [system, address]] = [NpcExportAlone.has_minds(features), NpcExportAlone.get_words(features)]
	ProjectSettings.set_setting(NpcSettings.ADDRESS, "127.0.0.1:50551")
	ProjectSettings.set_setting(NpcSettings.ADDRESS + ".web", "wss://web.example.org")
	said["web by its tag"] = [NpcExportAlone.has_minds(["web"]), NpcExportAlone.get_words(["web"])]
	result = {"said": said, "linux": NpcExportAlone.get_system(["linux", "x86_64"]), "value": NpcSettings.get_text(NpcSettings.ADDRESS)}
