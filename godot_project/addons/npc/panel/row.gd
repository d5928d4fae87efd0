@tool
extends RefCounted
## A row of a list: a title, a note below it, and what is drawn beside them.

## What the row stands for, such as the id of a memory.
var id: int = 0
## What the row was made from.
var message: Dictionary = {}
## The upper line.
var title: String = ""
## The lower line; may be empty.
var note: String = ""
## A word before the title; may be empty.
var tag: String = ""
## The colour of the tag, and of the mark at the left edge.
var colour: Color = Color.TRANSPARENT
## Numbers from 0 to 1, which are drawn as bars at the right edge.
var parts: PackedFloat32Array = []
## How far the row is moved to the right.
var level: int = 0
## Whether the row is about something over or not sound.
var is_faded: bool = false

## The shaped text, made when the row is first drawn.
var lines: Array[TextLine] = []
