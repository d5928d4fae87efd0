class_name NpcExportAlone
## What the export says of a game for a system that runs no server: who thinks for its characters.

## Godot's features of such systems, with their names.
const SYSTEMS: Dictionary[String, String] = {"web": "the web", "android": "Android", "ios": "iOS"}


## Returns the name of a system that runs no server; empty for others.
static func get_system(features: PackedStringArray) -> String:
	for feature: String in SYSTEMS:
		if feature in features:
			return SYSTEMS[feature]
	return ""


## Returns what to say. It is a warning if [method has_minds] returns [code]false[/code].
static func get_words(features: PackedStringArray) -> String:
	var address := get_address(features)
	if address == null:
		var words := "No server can run on %s, so characters follow the routine of their persona files and only greet. "
		words += "To give them minds, set %s to a server of yours, such as wss://npc.example.org, and see docs/remote.md."
		return words % [get_system(features), NpcSettings.ADDRESS]
	if not has_minds(features):
		return (
			"The address '%s' does not work on %s: a browser opens WebSockets only. Give wss://host:port."
			% [address.text, get_system(features)]
		)
	var told := "The minds of this game are those of %s. Whoever has the game has its token and can use that server."
	return told % address.text


## Returns [code]true[/code] if the game names a server that it can reach.
static func has_minds(features: PackedStringArray) -> bool:
	var address := get_address(features)
	return address != null and address.problem.is_empty() and (address.is_web() or "web" not in features)


## Returns the address of the socket that the game will use there; [code]null[/code] if it names none.
static func get_address(features: PackedStringArray) -> NpcAddress:
	var found := str(ProjectSettings.get_setting(NpcSettings.ADDRESS, NpcSettings.DEFAULTS[NpcSettings.ADDRESS]))
	for feature: String in features:
		found = str(ProjectSettings.get_setting("%s.%s" % [NpcSettings.ADDRESS, feature], found))
	return NpcAddress.parse(found) if NpcAddress.has_scheme(found) else null
