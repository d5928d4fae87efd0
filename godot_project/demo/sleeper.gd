class_name DemoSleeper
extends Node2D
## A person in bed. It is drawn once, and only a letter above it moves.

## Coat, hair and skin.
var colours: Array[Color] = []
## Hair and hat.
var looks := DemoLooks.of("")

var _blanket: Node2D
var _drifting: Node2D


func _ready() -> void:
	_blanket = DemoFigure.add_part(self, Vector2.ZERO, _draw_sleeper)
	_drifting = DemoFigure.add_part(self, Vector2.ZERO, _draw_letter.bind(12, 1.0))
	DemoFigure.add_part(self, Vector2(14, -14), _draw_letter.bind(10, 0.7))


## Shows the person in a bed; [code]null[/code] hides it.
func lie_in(bed: DemoFurniture) -> void:
	visible = bed != null
	set_process(visible)
	if bed != null:
		global_position = bed.global_position
		_blanket.rotation = PI if bed.upside_down else 0.0


func _process(_delta: float) -> void:
	var drift := fmod(Time.get_ticks_msec() / 900.0, 1.0)
	_drifting.position = Vector2(9 + drift * 3.0, -7 - drift * 5.0)


func _draw_sleeper(on: Node2D) -> void:
	var brush := DemoBrush.new()
	brush.disc(Vector2(0, -3), 6.0, colours[2].darkened(0.4))
	brush.disc(Vector2(0, -3), 5.4, colours[2])
	if not looks.hair.begins_with("bald"):
		brush.disc(Vector2(0, -5.6), 5.4, colours[1], 0.62)
	for side: float in [-1.0, 1.0] as Array[float]:
		brush.line(Vector2(side * 2.2 - 1.0, -1.6), Vector2(side * 2.2 + 1.0, -1.6), 0.9, DemoPalette.INK)
	brush.rect(Rect2(-8, 2, 16, 17), colours[0].lerp(DemoPalette.BLANKET, 0.6), colours[0].lerp(DemoPalette.BLANKET, 0.45))
	brush.rect(Rect2(-8, 2, 16, 3), DemoPalette.PAPER)
	brush.flush(on)


func _draw_letter(on: Node2D, size: int, strength: float) -> void:
	var colour := Color(DemoPalette.PAPER, strength)
	on.draw_string(ThemeDB.fallback_font, Vector2.ZERO, "z", HORIZONTAL_ALIGNMENT_LEFT, -1, size, colour)
