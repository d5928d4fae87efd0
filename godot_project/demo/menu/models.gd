class_name DemoModels
extends Node
## Asks npc-server which language models are on this machine.

## Emitted when the answer is there. It is empty if there is no server, or no model.
signal listed(names: PackedStringArray)

var _thread := Thread.new()


func _ready() -> void:
	var program := NpcProgram.find()
	if not program.is_found() or NpcSettings.names_server():
		listed.emit.call_deferred(PackedStringArray())
		return
	_thread.start(_ask.bind(program.words))


func _exit_tree() -> void:
	if _thread.is_started():
		_thread.wait_to_finish()


func _ask(words: PackedStringArray) -> void:
	var output: Array = []
	var arguments := words.slice(1)
	arguments.append_array(["model", "list", "--json"])
	var code := OS.execute(words[0], arguments, output)
	var names := PackedStringArray()
	var parsed: Variant = JSON.parse_string(str(output[0])) if code == 0 and not output.is_empty() else null
	if parsed is Array:
		for entry: Dictionary in parsed as Array:
			names.append(str(entry["name"]))
	listed.emit.call_deferred(names)
