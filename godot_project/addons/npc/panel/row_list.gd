@tool
extends Control
## A list of rows that all have the same height. Only those in sight are shaped and drawn, so it may have any number.
##
## Arrow keys, Page Up, Page Down, Home and End move the choice. The rows stay where they are when others are put before
## them.

## Emitted when somebody chooses a row.
signal row_chosen(row: Row)
## Emitted when the last rows come in sight, so that more can be got.
signal end_neared

const Look := preload("res://addons/npc/panel/look.gd")
const Row := preload("res://addons/npc/panel/row.gd")
## The width of a bar of [member Row.parts].
const BAR := 74.0
## So many rows before the end, [signal end_neared] is emitted.
const AHEAD := 12
const MARK := 4.0
const INDENT := 22.0

## All rows.
var rows: Array[Row] = []
## What stands in the middle of an empty list.
var empty_text: String = "":
	set(value):
		empty_text = value
		queue_redraw()
## The id of the chosen row; -1 for none.
var chosen: int = -1
## How many rows were drawn last. For tests.
var drawn: int = 0

var _bar := VScrollBar.new()
var _hovered: int = -1
var _shaped_for: float = 0.0
var _line_high: float = 20.0
var _row_high: float = 46.0


func _init() -> void:
	focus_mode = Control.FOCUS_ALL
	clip_contents = true
	size_flags_horizontal = Control.SIZE_EXPAND_FILL
	size_flags_vertical = Control.SIZE_EXPAND_FILL
	custom_minimum_size = Vector2(160, 80)
	_bar.set_anchors_and_offsets_preset(Control.PRESET_RIGHT_WIDE)
	_bar.value_changed.connect(_on_scrolled)
	add_child(_bar)


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_RESIZED:
			_fit()
		NOTIFICATION_THEME_CHANGED:
			_measure()
		NOTIFICATION_MOUSE_EXIT:
			_hover(-1)
		NOTIFICATION_FOCUS_ENTER, NOTIFICATION_FOCUS_EXIT:
			queue_redraw()


## Puts other rows in the place of all. The row that is at the top stays there if it is among them.
func set_rows(others: Array[Row]) -> void:
	var top := _get_top()
	var kept: int = rows[top].id if top < rows.size() and _bar.value > 0.0 else -1
	var rest := fmod(_bar.value, _row_high)
	rows = others
	_fit()
	var at := index_of(kept)
	if kept >= 0 and at >= 0:
		_bar.value = at * _row_high + rest
	elif kept >= 0:
		_bar.value = 0.0
	queue_redraw()


## Adds rows at the end.
func append_rows(more: Array[Row]) -> void:
	rows.append_array(more)
	_fit()
	queue_redraw()


## Returns the chosen row, or [code]null[/code].
func get_chosen() -> Row:
	var at := index_of(chosen)
	return rows[at] if at >= 0 else null


## Returns the index of the row with an id, or -1.
func index_of(id: int) -> int:
	for i: int in rows.size():
		if rows[i].id == id:
			return i
	return -1


## Chooses a row by its index, and brings it in sight.
func choose(index: int) -> void:
	if rows.is_empty():
		return
	var at := clampi(index, 0, rows.size() - 1)
	chosen = rows[at].id
	if at * _row_high < _bar.value:
		_bar.value = at * _row_high
	elif (at + 1) * _row_high > _bar.value + size.y:
		_bar.value = (at + 1) * _row_high - size.y
	queue_redraw()
	row_chosen.emit(rows[at])


## Scrolls to a share of the list, from 0 to 1. For tests.
func scroll_to(share: float) -> void:
	_bar.value = share * maxf(0.0, rows.size() * _row_high - size.y)


func _draw() -> void:
	drawn = 0
	var font := get_theme_font(&"font", &"Label")
	var ink := get_theme_color(&"font_color", &"Label")
	if rows.is_empty():
		var wide := size.x - 2.0 * Look.GAP
		draw_multiline_string(
			font, Vector2(Look.GAP, size.y / 3.0), empty_text, HORIZONTAL_ALIGNMENT_CENTER, wide, _font_size(), -1, Color(ink, 0.7)
		)
		return
	var first := _get_top()
	for i: int in range(first, mini(rows.size(), first + ceili(size.y / _row_high) + 1)):
		_draw_row(rows[i], i * _row_high - _bar.value, i, ink)
		drawn += 1
	if has_focus():
		draw_rect(Rect2(Vector2(0.5, 0.5), size - Vector2.ONE), Color(Look.ACCENT, 0.7), false, 1.0)


func _draw_row(row: Row, y: float, index: int, ink: Color) -> void:
	var wide := _get_wide()
	var left := MARK + Look.GAP + row.level * INDENT
	if row.id == chosen:
		draw_rect(Rect2(0, y, wide, _row_high), Color(Look.ACCENT, 0.22))
	elif index == _hovered:
		draw_rect(Rect2(0, y, wide, _row_high), Color(ink, 0.07))
	if row.colour.a > 0.0:
		draw_rect(Rect2(row.level * INDENT, y + 3.0, MARK, _row_high - 6.0), row.colour)
	_shape(row, wide - left - Look.GAP - _get_bars_wide(row))
	var alpha := 0.55 if row.is_faded else 1.0
	var high := y + (_row_high - row.lines.size() * _line_high) / 2.0
	for i: int in row.lines.size():
		row.lines[i].draw(get_canvas_item(), Vector2(left, high + i * _line_high), Color(ink, alpha if i == 0 else 0.68 * alpha))
	_draw_bars(row, Vector2(wide - _get_bars_wide(row), y))
	draw_line(Vector2(left, y + _row_high - 0.5), Vector2(wide, y + _row_high - 0.5), Color(ink, 0.08))


func _draw_bars(row: Row, at: Vector2) -> void:
	for i: int in row.parts.size():
		var place := Rect2(at + Vector2(i * (BAR + Look.GAP), _row_high / 2.0 - 5.0), Vector2(BAR, 10.0))
		draw_rect(place, Color(Look.PART_COLOURS[i % 3], 0.2))
		place.size.x *= clampf(row.parts[i], 0.0, 1.0)
		draw_rect(place, Look.PART_COLOURS[i % 3])


## Shapes the text of a row once for each width.
func _shape(row: Row, wide: float) -> void:
	if _shaped_for != size.x:
		_shaped_for = size.x
		for other: Row in rows:
			other.lines.clear()
	if not row.lines.is_empty():
		return
	var title := row.title if row.tag.is_empty() else "%s   %s" % [row.tag, row.title]
	for text: String in [title, row.note] as Array[String]:
		if text.is_empty():
			continue
		var line := TextLine.new()
		line.add_string(text.replace("\n", " ").left(400), get_theme_font(&"font", &"Label"), _font_size())
		line.width = maxf(wide, 10.0)
		line.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
		row.lines.append(line)


func _gui_input(event: InputEvent) -> void:
	var moved := event as InputEventMouseMotion
	var pressed := event as InputEventMouseButton
	if moved != null:
		_hover(_row_at(moved.position.y))
	elif pressed != null and pressed.pressed:
		match pressed.button_index:
			MOUSE_BUTTON_LEFT:
				grab_focus()
				if _row_at(pressed.position.y) >= 0:
					choose(_row_at(pressed.position.y))
			MOUSE_BUTTON_WHEEL_UP:
				_bar.value -= _row_high * 2.0
			MOUSE_BUTTON_WHEEL_DOWN:
				_bar.value += _row_high * 2.0
		accept_event()
	elif event is InputEventKey and event.is_pressed():
		_press((event as InputEventKey).keycode)


func _press(key: Key) -> void:
	var page := maxi(1, int(size.y / _row_high) - 1)
	var steps: Dictionary[Key, int] = {
		KEY_UP: -1, KEY_DOWN: 1, KEY_PAGEUP: -page, KEY_PAGEDOWN: page, KEY_HOME: -rows.size(), KEY_END: rows.size()
	}
	if steps.has(key):
		var at := index_of(chosen)
		choose(at + steps[key] if at >= 0 else (0 if steps[key] > 0 else rows.size() - 1))
		accept_event()


func _row_at(y: float) -> int:
	var at := int((y + _bar.value) / _row_high)
	return at if at >= 0 and at < rows.size() else -1


func _hover(index: int) -> void:
	if index != _hovered:
		_hovered = index
		queue_redraw()


func _on_scrolled(_value: float) -> void:
	queue_redraw()
	_look_ahead()


func _look_ahead() -> void:
	if not rows.is_empty() and _bar.value + size.y > (rows.size() - AHEAD) * _row_high:
		end_neared.emit()


func _fit() -> void:
	_bar.max_value = rows.size() * _row_high
	_bar.page = size.y
	_bar.visible = _bar.max_value > size.y
	queue_redraw()


func _measure() -> void:
	_line_high = get_theme_font(&"font", &"Label").get_height(_font_size())
	_row_high = 2.0 * _line_high + Look.GAP
	_shaped_for = 0.0
	_fit()


func _font_size() -> int:
	return Look.font_size(self)


func _get_top() -> int:
	return int(_bar.value / _row_high)


func _get_wide() -> float:
	return size.x - (_bar.size.x if _bar.visible else 0.0)


func _get_bars_wide(row: Row) -> float:
	return row.parts.size() * (BAR + Look.GAP)
