class_name DemoDaylight
extends CanvasModulate
## Colors the town by the hour of the day. People stay brighter than what is around them.

const HOURS: Array[float] = [0.0, 5.0, 6.2, 7.5, 17.0, 19.5, 21.5, 24.0]
const LIGHT: Array[Color] = [
	Color("a4aed6"),
	Color("a8b2d6"),
	Color("f3d9c4"),
	Color("ffffff"),
	Color("fff8ea"),
	Color("f3c9a4"),
	Color("adb3d6"),
	Color("a4aed6"),
]

## How much of the darkness people are spared; 1 for all of it.
const BRIGHTER := 0.8

var _minute: int = -1


func _process(_delta: float) -> void:
	var minute := floori(NpcServer.game_time_s / 60.0)
	if minute == _minute:
		return
	_minute = minute
	var hour := fposmod(NpcServer.game_time_s, 86400.0) / 3600.0
	for i: int in HOURS.size() - 1:
		if hour <= HOURS[i + 1]:
			var part := inverse_lerp(HOURS[i], HOURS[i + 1], hour)
			color = LIGHT[i].lerp(LIGHT[i + 1], part)
			var brighter := Color.WHITE.lerp(Color(1.0 / color.r, 1.0 / color.g, 1.0 / color.b), BRIGHTER)
			for agent: Node in get_tree().get_nodes_in_group(NpcAgent.GROUP):
				var person := agent.get_parent() as CanvasItem
				if person != null:
					person.modulate = brighter
			return
