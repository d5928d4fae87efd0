class_name DemoLanterns
extends Node2D
## Strings of lanterns over the jetty, which hang there on the evening of the party.

const GLOW := Color("ffcf6b")
const COLOURS: Array[Color] = [Color("e0653f"), Color("f2b43d"), Color("8fb35a"), Color("d9647f")]
## From the first corner of the place, in cells.
const STRINGS: Array[Array] = [[Vector2(0.5, 1.0), Vector2(11.5, 1.6)], [Vector2(0.5, 4.6), Vector2(11.5, 5.2)]]
const LANTERNS := 9
## How far a string hangs through, in pixels.
const SAG := 14.0
## They hang from an hour before the party until two hours after it.
const BEFORE_S := 3600.0
const AFTER_S := 7200.0

var _minute: int = -1


func _ready() -> void:
	z_index = DemoPerson.FRONT + 1
	visible = false


func _process(_delta: float) -> void:
	var minute := int(NpcServer.game_time_s / 60.0)
	if minute != _minute:
		_minute = minute
		var now := NpcServer.game_time_s
		visible = now >= DemoStories.PARTY_FROM_S - BEFORE_S and now <= DemoStories.PARTY_TO_S + AFTER_S


func _draw() -> void:
	for string: Array in STRINGS:
		_draw_string((string[0] as Vector2) * DemoTownPlan.CELL, (string[1] as Vector2) * DemoTownPlan.CELL)


func _draw_string(from: Vector2, to: Vector2) -> void:
	var points: PackedVector2Array = []
	for i: int in LANTERNS + 2:
		var part := i / float(LANTERNS + 1)
		points.append(from.lerp(to, part) + Vector2(0, sin(part * PI) * SAG))
	draw_polyline(points, DemoPalette.INK, 1.0, true)
	for i: int in LANTERNS:
		var at := points[i + 1] + Vector2(0, 5)
		draw_circle(at, 11.0, Color(GLOW, 0.16))
		draw_circle(at, 7.0, Color(GLOW, 0.22))
		draw_circle(at, 4.0, COLOURS[i % COLOURS.size()], true, -1.0, true)
		draw_circle(at, 1.8, Color("fff3c9"))
