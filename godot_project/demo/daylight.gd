class_name DemoDaylight
extends CanvasModulate
## The light of the hour.

const HOURS := [0.0, 5.0, 6.2, 7.5, 17.0, 19.5, 21.5, 24.0]
const LIGHT := ["8a94bd", "8f99c0", "f3d9c4", "ffffff", "fff8ea", "f3c9a4", "98a0c6", "8a94bd"]

var _minute: int = -1


func _process(_delta: float) -> void:
	var minute := int(NpcServer.game_time_s / 60.0)
	if minute == _minute:
		return
	_minute = minute
	var hour := fmod(NpcServer.game_time_s, 86400.0) / 3600.0
	for i: int in HOURS.size() - 1:
		if hour <= HOURS[i + 1]:
			var part := (hour - float(str(HOURS[i]))) / (float(str(HOURS[i + 1])) - float(str(HOURS[i])))
			color = Color(str(LIGHT[i])).lerp(Color(str(LIGHT[i + 1])), part)
			return
