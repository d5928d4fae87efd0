class_name NpcClock
extends RefCounted
## The game clock, and when the server must be told the time.

## Game time, in seconds since 1970-01-01 on the game's calendar; negative before it.
var now_s: float = 0.0
## Game seconds per second.
var scale: float = 60.0
## If [code]false[/code], the game moves the clock itself.
var runs: bool = true
## Game seconds between two clock events.
var interval_s: float = 60.0

var _told_s: int = 0
var _is_known: bool = false


## Advances the clock by a frame. Returns [code]true[/code] if the server must be told the time.
func advance(delta: float) -> bool:
	if runs:
		now_s += delta * scale
	return runs and now_s >= _told_s + interval_s


## Records that a time was sent to the server.
func mark_sent(at_s: int) -> void:
	now_s = maxf(now_s, float(at_s)) if _is_known else float(at_s)
	_told_s = at_s


## Sets the clock to the time of a save.
func set_time(at_s: float) -> void:
	now_s = at_s
	_told_s = int(at_s)
	_is_known = true


## Sets the clock to the server's time, if the game has none yet. After a lost connection the game's own time counts.
func set_time_if_unknown(at_s: float) -> void:
	if not _is_known:
		set_time(at_s)


## Forgets the time; the next save brings its own.
func forget() -> void:
	_is_known = false
