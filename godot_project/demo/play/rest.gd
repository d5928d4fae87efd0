class_name DemoRest
extends Node
## Lets time pass quickly until an hour, with the town in the dark. Everybody goes on with the day meanwhile.

## Emitted when the time has passed.
signal rested

## Game seconds per second by day, when people have much to say to each other, and at night.
const FAST := 240.0
const FASTEST := 1800.0
const HOUR_S := 3600.0
const MORNING_H := 7.5

var game: DemoGame

var _until_s: float = 0.0
var _speed_before: float = 60.0


func is_resting() -> bool:
	return _until_s > 0.0


## Rests for some game seconds.
func pass_time(seconds: float, words: String, speed: float = FAST) -> void:
	_until_s = NpcServer.game_time_s + seconds
	_speed_before = NpcServer.time_scale
	NpcServer.time_scale = speed
	NpcServer.set_player_busy(game.player, true)
	game.avatar.may_walk = false
	game.hud.darken(words)


## Rests until an hour of the day comes round.
func pass_until(hour: float, words: String) -> void:
	pass_time(fposmod(hour * HOUR_S - NpcServer.game_time_s, 24.0 * HOUR_S), words, FASTEST)


## Wakes up early.
func wake() -> void:
	_until_s = 0.0
	NpcServer.time_scale = _speed_before
	NpcServer.set_player_busy(game.player, false)
	game.avatar.may_walk = true
	game.hud.darken("")
	rested.emit()


func _process(_delta: float) -> void:
	if is_resting() and NpcServer.game_time_s >= _until_s:
		wake()
