class_name NpcClock
extends RefCounted
## The game's time, and when the minds have to be told of it.

## Game time, in seconds since 1970-01-01 on the game's calendar.
var now_s: float = 0.0
## Game seconds in a second.
var scale: float = 60.0
## False when the game moves the clock itself.
var runs: bool = true
## Game seconds between two clocks that are told.
var interval_s: float = 60.0

var _told_s: int = 0
var _is_known: bool = false


## Goes on by a frame. True when the minds have to be told.
func advance(delta: float) -> bool:
	if runs:
		now_s += delta * scale
	return runs and now_s >= _told_s + interval_s


## Remembers that a time was told.
func told(at_s: int) -> void:
	now_s = maxf(now_s, float(at_s))
	_told_s = at_s


## Puts the clock to a save's time.
func put(at_s: float) -> void:
	now_s = at_s
	_told_s = int(at_s)
	_is_known = true


## Takes the server's time, unless the game has one already: after a lost connection the game's own counts.
func put_first(at_s: float) -> void:
	if not _is_known:
		put(at_s)


## The next save brings its own time.
func forget() -> void:
	_is_known = false
