class_name DemoLife
extends Node2D
## The little life of a town: smoke over houses where somebody is awake, butterflies by day, fireflies by night, and
## ripples on the water. A shader moves them all, so a frame costs two numbers.

enum Kind { SMOKE, BUTTERFLY, FIREFLY, RIPPLE }

const PUFFS := 5
const ABOVE_PEOPLE := 12
const WINGS: Array[Color] = [Color("f6e27a"), Color("f3f0e6"), Color("e58fa0"), Color("9fc3ea")]
const MOVES := preload("res://demo/look/life.gdshader")

var scenery: DemoScenery
## Knows where somebody is awake.
var lights: DemoLights

var _now: float = 0.0
var _points := PackedVector2Array()
var _colours := PackedColorArray()
var _corners := PackedVector2Array()
var _indices := PackedInt32Array()
var _burning: Array[bool] = []


func _ready() -> void:
	z_index = ABOVE_PEOPLE
	z_as_relative = false
	var moving := ShaderMaterial.new()
	moving.shader = MOVES
	material = moving
	lights.homes_changed.connect(_on_homes_changed)


func _process(delta: float) -> void:
	_now = fmod(_now + delta, 3600.0)
	(material as ShaderMaterial).set_shader_parameter(&"now", _now)
	(material as ShaderMaterial).set_shader_parameter(&"night", DemoDaylight.get_darkness())


func _on_homes_changed() -> void:
	var burning: Array[bool] = []
	for chimney: DemoScenery.Chimney in scenery.chimneys:
		burning.append(lights.is_home(chimney.house))
	if burning != _burning:
		_burning = burning
		queue_redraw()


func _draw() -> void:
	_points.clear()
	_colours.clear()
	_corners.clear()
	_indices.clear()
	var rng := RandomNumberGenerator.new()
	rng.seed = 11
	for i: int in _burning.size():
		for puff: int in PUFFS if _burning[i] else 0:
			_add(scenery.chimneys[i].at + Vector2(0, -8), Kind.SMOKE, i * PUFFS + puff, Color(0.96, 0.94, 0.92, 0.55))
	var size := Vector2(scenery.plan.size * DemoTownPlan.CELL)
	for i: int in scenery.bushes.size():
		var bush := scenery.bushes[i]
		_add(Vector2(bush.x, bush.y), Kind.FIREFLY, i, Color("fff2a0"))
		if i % 3 == 0:
			_add(Vector2(bush.x, bush.y), Kind.BUTTERFLY, i, WINGS[rng.randi() % WINGS.size()])
	var river := DemoTownPlan.to_pixels(scenery.plan.get_river())
	for i: int in int(river.get_area() / 700.0):
		var at := river.position + Vector2(rng.randf() * size.x, rng.randf_range(8.0, river.size.y - 4.0))
		_add(at, Kind.RIPPLE, i, Color(1, 1, 1, 0.4))
	if not _indices.is_empty():
		RenderingServer.canvas_item_add_triangle_array(get_canvas_item(), _indices, _points, _colours, _corners)


## Adds a square. The whole part of its UV is a number and the kind, and the rest is the corner.
func _add(at: Vector2, kind: Kind, number: int, colour: Color) -> void:
	var first := _points.size()
	for corner: Vector2 in [Vector2(0.05, 0.05), Vector2(0.95, 0.05), Vector2(0.95, 0.95), Vector2(0.05, 0.95)] as Array[Vector2]:
		_points.append(at)
		_colours.append(colour)
		_corners.append(corner + Vector2(number % 97, kind))
	_indices.append_array([first, first + 1, first + 2, first, first + 2, first + 3])
