@tool
extends RefCounted
## Writes the texts of new persona files.

const TextFile := preload("res://addons/npc/editor/text_file.gd")


## Returns the text of a new persona file. [param values] are keys of the file; [param town] is what the town is called.
static func write(values: Dictionary, id: String, town: String) -> String:
	var called := str(values["name"])
	var about := str(values["identity"])
	if about.is_empty():
		about = "%s lives in %s." % [called, town]
	var lines := PackedStringArray(["name: " + TextFile.quote(called), "age: %d" % (values["age"] as int)])
	var words := (values["traits"] as Array).map(TextFile.quote)
	if not words.is_empty():
		lines.append("traits: [%s]" % ", ".join(PackedStringArray(words)))
	lines.append("identity: " + TextFile.quote(about))
	if not str(values["currently"]).is_empty():
		lines.append("currently: " + TextFile.quote(str(values["currently"])))
	lines.append_array(_write_home(called, id, str(values["home"])))
	if values["work"] != null:
		lines.append("work: " + TextFile.quote(str(values["work"])))
	var style := str((values["voice"] as Dictionary)["style"])
	if not style.is_empty():
		lines.append_array(PackedStringArray(["voice:", "  style: " + TextFile.quote(style)]))
	return "\n".join(lines) + "\n"


## Returns the text of a file with another name. The id is that of the new file.
static func copy(text: String, called: String, id: String) -> String:
	var lines := text.split("\n")
	for i: int in lines.size():
		if lines[i].begins_with("name:"):
			lines[i] = "name: " + TextFile.quote(called)
		elif lines[i].begins_with("id:"):
			lines[i] = "id: " + id
	return "\n".join(Array(lines).filter(func(line: String) -> bool: return not line.begins_with("first_name:")))


## Without a town, the home is made up, as [code]npc-server persona import[/code] does it.
static func _write_home(called: String, id: String, address: String) -> PackedStringArray:
	if not address.is_empty():
		return ["home: " + TextFile.quote(address)]
	var why := "# Nothing says where %s lives, so this is made up: write the address of a bed or a room of your town."
	return [why % called.get_slice(" ", 0), "home: " + TextFile.quote("%s_house:bedroom:bed" % id)]
