@tool
extends RefCounted
## Finds what refers to a person or a place in the scenes of the project.

## The most references that a question lists one by one.
const MOST := 8


## Returns the scenes of the project whose text has one of some words, such as [code]persona_id = "ada"[/code].
static func list_scenes(words: PackedStringArray) -> PackedStringArray:
	var found := PackedStringArray()
	_look(EditorInterface.get_resource_filesystem().get_filesystem(), words, found)
	return found


## Returns lines for a question, with a head if there are any.
static func tell(head: String, lines: PackedStringArray) -> String:
	if lines.is_empty():
		return ""
	var told := PackedStringArray([head])
	for line: String in lines.slice(0, MOST):
		told.append("  • %s" % line)
	if lines.size() > MOST:
		told.append("  • and %d more" % (lines.size() - MOST))
	return "\n".join(told)


static func _look(folder: EditorFileSystemDirectory, words: PackedStringArray, found: PackedStringArray) -> void:
	for i: int in folder.get_file_count():
		var path := folder.get_file_path(i)
		if path.get_extension() == "tscn":
			var text := FileAccess.get_file_as_string(path)
			if Array(words).any(func(word: String) -> bool: return text.contains(word)):
				found.append(path)
	for i: int in folder.get_subdir_count():
		_look(folder.get_subdir(i), words, found)
