class_name DemoDaylight
extends CanvasModulate
## Colors the town by the hour of the day. People stay brighter than what is around them, so that one finds them at night.

const HOURS: Array[float] = [0.0, 4.6, 5.6, 6.6, 8.0, 16.5, 18.8, 20.0, 21.3, 22.5, 24.0]
const LIGHT: Array[Color] = [
	Color("7484c4"),
	Color("7888c4"),
	Color("b59cc0"),
	Color("f6d2b4"),
	Color("ffffff"),
	Color("fffaee"),
	Color("fbd3a0"),
	Color("dba1a0"),
	Color("8f8cc6"),
	Color("7484c4"),
	Color("7484c4"),
]

## How much of the darkness people are spared; 1 for all of it.
const BRIGHTER := 0.85

## The hour that is shown whatever the game clock says; -1 for the clock's.
static var fixed_hour: float = -1.0

var _minute: int = -1


## Returns the color of the light at a game time.
static func get_light(at_s: float) -> Color:
	var hour := fposmod(at_s, 86400.0) / 3600.0
	for i: int in HOURS.size() - 1:
		if hour <= HOURS[i + 1]:
			return LIGHT[i].lerp(LIGHT[i + 1], inverse_lerp(HOURS[i], HOURS[i + 1], hour))
	return LIGHT[0]


## Returns the game time whose light is shown.
static func get_shown_s() -> float:
	return NpcServer.game_time_s if fixed_hour < 0.0 else fixed_hour * 3600.0


## Returns how dark it is now: 0 by day, 1 in the night.
static func get_darkness() -> float:
	var light := get_light(get_shown_s())
	return clampf(inverse_lerp(0.86, 0.5, light.g), 0.0, 1.0)


func _process(_delta: float) -> void:
	var minute := floori(get_shown_s() / 60.0)
	if minute == _minute:
		return
	_minute = minute
	color = get_light(get_shown_s())
	var brighter := Color.WHITE.lerp(Color(1.0 / color.r, 1.0 / color.g, 1.0 / color.b), BRIGHTER)
	for agent: Node in get_tree().get_nodes_in_group(NpcAgent.GROUP):
		var person := agent.get_parent() as CanvasItem
		if person != null:
			person.modulate = brighter
