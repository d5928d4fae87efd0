class_name DemoBackdrop
extends Node2D
## The view behind the title: a town at dusk, with lit windows. The camera drifts over it.

const TOWN := "res://demo/towns/%s/town.json"
## The hour of the evening.
const HOUR := 21.2
const ZOOM := 1.55
const DRIFT_S := 90.0
## People who stroll along the widest path.
const STROLLERS := 7
const PACE := 26.0

var town: String = "millbrook"

var _plan: DemoTownPlan
var _camera := Camera2D.new()
var _now: float = 0.0
var _strollers: Array[DemoFigure] = []


func _ready() -> void:
	_plan = DemoTownPlan.load_file(TOWN % town)
	DemoDaylight.fixed_hour = HOUR
	var ground := DemoGround.new()
	ground.plan = _plan
	ground.everybody_is_home = true
	add_child(ground)
	DemoFigure.add_part(self, Vector2.ZERO, _draw_furniture)
	_add_strollers()
	add_child(DemoDaylight.new())
	_camera.zoom = Vector2.ONE * ZOOM
	_camera.anchor_mode = Camera2D.ANCHOR_MODE_FIXED_TOP_LEFT
	add_child(_camera)
	_process(0.0)


func _exit_tree() -> void:
	DemoDaylight.fixed_hour = -1.0


func _process(delta: float) -> void:
	_now += delta
	var room := Vector2(_plan.size * DemoTownPlan.CELL) - Vector2(1280, 720) / ZOOM
	var part := 0.5 - 0.5 * cos(_now * TAU / DRIFT_S)
	for i: int in _strollers.size():
		_stroll(_strollers[i], 1.0 if i % 2 == 0 else -1.0, delta)
	_camera.position = Vector2(room.x * part, minf(room.y, 40.0 + 90.0 * part))


func _add_strollers() -> void:
	var path := DemoTownPlan.to_pixels(_plan.paths[0])
	var ids := DemoLooks.OF_PEOPLE.keys()
	for i: int in STROLLERS:
		var figure := DemoFigure.new()
		figure.looks = DemoLooks.of(ids[i * 3 + 1] as String)
		figure.colours = DemoPalette.get_look(i * 3 + 1)
		figure.z_index = DemoPerson.MIDDLE
		figure.modulate = Color(1.35, 1.35, 1.25)
		figure.position = path.position + Vector2(path.size.x * (i + 0.5) / STROLLERS, 14.0 + fmod(i * 17.0, path.size.y - 22.0))
		add_child(figure)
		_strollers.append(figure)


func _stroll(figure: DemoFigure, way: float, delta: float) -> void:
	figure.look(Vector2(way, 0.2))
	figure.walk(delta * 0.6)
	figure.position.x = fposmod(figure.position.x + way * PACE * delta, _plan.size.x * float(DemoTownPlan.CELL))


func _draw_furniture(on: Node2D) -> void:
	var brush := DemoBrush.new()
	for object: DemoTownPlan.TownObject in _plan.objects:
		var at := DemoTownPlan.get_middle(object.cell)
		if object.kind == "tree":
			DemoPlants.paint_tree(brush, at, 0.62)
		elif object.kind not in ["bed", "pond"]:
			brush.shapes(DemoFurnitureShapes.of(object.kind, object.state, false), at)
	brush.flush(on)
