@tool
class_name DemoGround
extends Node2D
## Draws everything that does not move: grass, lanes, water, houses and trees. It is drawn once, in one call.

var plan: DemoTownPlan
## What stands about. Lights and smoke need it, too.
var scenery: DemoScenery
## See [member DemoLights.everybody_is_home].
var everybody_is_home: bool = false


func _ready() -> void:
	if plan == null:
		return
	scenery = DemoScenery.new(plan)
	if Engine.is_editor_hint():
		return
	var lights := DemoLights.new()
	lights.scenery = scenery
	lights.everybody_is_home = everybody_is_home
	add_child(lights)
	var life := DemoLife.new()
	life.scenery = scenery
	life.lights = lights
	add_child(life)


func _draw() -> void:
	if scenery == null:
		return
	var rng := RandomNumberGenerator.new()
	rng.seed = 4
	var brush := DemoBrush.new()
	DemoTerrain.draw(brush, plan, rng)
	DemoHouses.draw(brush, scenery)
	DemoPlants.draw(brush, scenery)
	brush.flush(self)
