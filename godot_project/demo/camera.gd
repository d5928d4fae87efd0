class_name DemoCamera
extends Camera2D
## Shows the whole town. The mouse wheel zooms, and dragging moves the view.

## Emitted when the zoom has changed.
signal zoomed

## The part of the screen that the clock and the cards leave free.
const WINDOW := Rect2(8, 64, 944, 648)
const NEAREST := 1.5
const STEP := 1.15

var _least: float = 1.0
var _lifted: float = 0.0


## Zooms out until [param area] fits into the window.
func fit(area: Rect2) -> void:
	anchor_mode = Camera2D.ANCHOR_MODE_FIXED_TOP_LEFT
	_least = minf(1.0, minf(WINDOW.size.x / area.size.x, WINDOW.size.y / area.size.y))
	zoom = Vector2.ONE * _least
	# The rest of the height goes to the top, where the labels of the topmost houses are.
	var above := WINDOW.size.y - area.size.y * _least if _least < 1.0 else 0.0
	position = area.position - (WINDOW.position + Vector2(0, above)) / _least


## Returns the scale of people, who grow as the town shrinks so that they can still be told apart.
func get_figure_scale() -> float:
	return maxf(1.0, 0.8 / zoom.x)


## Moves the town up until a position is above a height of the screen.
func keep_above(at: Vector2, height: float) -> void:
	_lifted = maxf(0.0, at.y - position.y - height / zoom.y)


## Moves the town back to where it was.
func let_down() -> void:
	_lifted = 0.0


func _process(delta: float) -> void:
	if offset.y != _lifted:
		offset.y = lerpf(offset.y, _lifted, minf(1.0, delta * 8.0))
		if absf(offset.y - _lifted) < 0.3:
			offset.y = _lifted


func _unhandled_input(event: InputEvent) -> void:
	var button := event as InputEventMouseButton
	if button != null and button.pressed and button.button_index == MOUSE_BUTTON_WHEEL_UP:
		_zoom_to(zoom.x * STEP, button.position)
	elif button != null and button.pressed and button.button_index == MOUSE_BUTTON_WHEEL_DOWN:
		_zoom_to(zoom.x / STEP, button.position)
	var motion := event as InputEventMouseMotion
	if motion != null and motion.button_mask & MOUSE_BUTTON_MASK_LEFT:
		position -= motion.relative / zoom.x


## Zooms around the position of the mouse.
func _zoom_to(wanted: float, at: Vector2) -> void:
	var next := clampf(wanted, _least, NEAREST)
	position += at / zoom.x - at / next
	if next != zoom.x:
		zoom = Vector2.ONE * next
		zoomed.emit()
