class_name NpcClock
extends RefCounted
## The game clock, and when the server must be told the time.

## Game time, in seconds since 1970-01-01 on the game's calendar; negative before it.
var now_s: float = 0.0
## Game seconds per second.
var scale: float = 60.0:
	set(value):
		if value < 0.0:
			push_warning("NpcServer.time_scale is %s, but the clock cannot run backwards. It is set to 0; use 0 or more." % value)
		scale = maxf(value, 0.0)
## If [code]false[/code], the game moves the clock itself.
var runs: bool = true
## If [code]true[/code], the clock also runs while the scene tree is paused.
var runs_while_paused: bool = false
## Game seconds between two clock events.
var interval_s: float = 60.0

## If [code]true[/code], [member now_s] is the time of the save.
var is_known: bool = false

var _told_s: int = 0
## If [code]true[/code], no save has told the time yet.
var _is_own: bool = false


## Advances the clock by a frame, unless [param paused] stops it. Returns [code]true[/code] if the server must be told the
## time.
func advance(delta: float, paused: bool = false) -> bool:
	if not runs or (paused and not runs_while_paused):
		return false
	now_s += delta * scale
	return now_s >= _told_s + interval_s


## Records that a time was sent to the server.
func mark_sent(at_s: int) -> void:
	now_s = maxf(now_s, float(at_s)) if is_known else float(at_s)
	_told_s = at_s


## Sets the clock to the time of a save.
func set_time(at_s: float) -> void:
	now_s = at_s
	_told_s = int(at_s)
	is_known = true


## Begins a time that no save has told, unless one has. The game may have set [member now_s] before.
func begin_own_time(start_s: int) -> void:
	if not is_known:
		set_time(now_s if now_s != 0.0 else float(start_s))
		_is_own = true


## Sets the clock to the server's time, if the game has none yet. After a lost connection the game's own time counts, and so does
## a time without a save that is later than the save's: nobody lives through an hour twice.
func set_time_if_unknown(at_s: float) -> void:
	if not is_known or (_is_own and at_s > now_s):
		set_time(at_s)
	_is_own = false


## Forgets the time; the next save brings its own.
func forget() -> void:
	is_known = false
	_is_own = false
