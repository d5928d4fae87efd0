extends Node
## A stand-in for the autoload of Dialogue Manager: it reads the few kinds of lines that the recipe's file has, and follows
## what its documentation says of them. Written for this test.


class Scene:
	extends Resource
	## The lines of a file, and the number of the line after each cue.
	var lines: PackedStringArray = []
	var cues: Dictionary[String, int] = {}


class Line:
	extends RefCounted
	var character: String = ""
	var text: String = ""
	var next_id: String = ""
	var responses: Array = []


func create_resource_from_text(text: String) -> Resource:
	var scene := Scene.new()
	scene.lines = text.split("\n")
	for i: int in scene.lines.size():
		if scene.lines[i].begins_with("~ "):
			scene.cues[scene.lines[i].substr(2)] = i + 1
	return scene


func get_next_dialogue_line(scene: Scene, key: String, states: Array) -> Line:
	var at := scene.cues[key] if scene.cues.has(key) else int(key)
	while at < scene.lines.size():
		var words := scene.lines[at].strip_edges()
		at += 1
		if words.begins_with("=> END"):
			return null
		if words.begins_with("=> "):
			at = scene.cues[words.substr(3)]
		elif words.begins_with("do "):
			await _mutate(words.substr(3), states[0] as Object)
		elif not words.is_empty() and not words.begins_with("~") and not words.begins_with("- "):
			return _make_line(scene, at, words, states[0] as Object)
	return null


func _make_line(scene: Scene, next: int, words: String, state: Object) -> Line:
	var line := Line.new()
	line.character = words.get_slice(": ", 0)
	line.text = words.substr(line.character.length() + 2).format({"answer": state.get("answer")}, "{{_}}")
	line.next_id = str(next)
	var depth := _get_depth(scene, next - 1)
	for i: int in range(next, scene.lines.size()):
		if _get_depth(scene, i) < depth or not (scene.lines[i].begins_with("\t") or scene.lines[i].begins_with("- ")):
			break
		if _get_depth(scene, i) == depth and scene.lines[i].strip_edges().begins_with("- "):
			var response := Line.new()
			response.text = scene.lines[i].strip_edges().substr(2)
			response.next_id = str(i + 1)
			line.responses.append(response)
	return line


func _mutate(call_text: String, state: Object) -> void:
	var arguments := JSON.parse_string("[%s]" % call_text.get_slice("(", 1).trim_suffix(")")) as Array
	@warning_ignore("redundant_await")
	await state.callv(call_text.get_slice("(", 0), arguments)


static func _get_depth(scene: Scene, at: int) -> int:
	return scene.lines[at].length() - scene.lines[at].lstrip("\t").length()
