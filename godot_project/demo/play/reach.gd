class_name DemoReach
extends Node
## Finds the person or the thing that the player can use now, and says what using it does.

## Emitted when there is another one, or none.
signal changed

## In metres.
const PERSON_M := 2.4
const THING_M := 2.0
const LOOK_S := 0.1

var game: DemoGame
## Whoever is within reach; [code]null[/code] for nobody.
var person: DemoPerson = null
## What is within reach, if nobody is; [code]null[/code] for nothing.
var thing: DemoThing = null
var prompt: String = ""

var _look_in_s: float = 0.0


func _process(delta: float) -> void:
	_look_in_s -= delta
	if _look_in_s > 0.0 or not game.is_started:
		return
	_look_in_s = LOOK_S
	look()


## Looks around now.
func look() -> void:
	var at := game.avatar.global_position
	var near := game.find_nearest_person(at, PERSON_M * NpcServer.pixels_per_metre)
	var found := game.find_nearest_thing(at, THING_M * NpcServer.pixels_per_metre)
	# Whoever stands before a shelf may want the shelf: what is nearer counts.
	if near != null and found != null and game.get_spot_of(found).distance_to(at) < near.global_position.distance_to(at):
		near = null
	if near != null:
		found = null
	var says := ""
	if near != null:
		says = "Talk to %s" % near.get_first_name()
	elif found != null:
		says = found.get_prompt(game.town.get_name_of(found.owner))
	if near != person or found != thing or says != prompt:
		person = near
		thing = found
		prompt = says
		changed.emit()
