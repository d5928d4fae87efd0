class_name DemoChoice
extends RefCounted
## A line that the dialogue box suggests.

## What the player says.
var line: String
## What the box shows: the line, or the line and what it costs.
var shown: String
## If [code]true[/code], it ends the talk.
var leaves: bool = false


func _init(says: String, note: String = "") -> void:
	line = says
	shown = says if note.is_empty() else "%s  (%s)" % [says, note]


static func goodbye() -> DemoChoice:
	var made := DemoChoice.new("Goodbye.")
	made.leaves = true
	return made
