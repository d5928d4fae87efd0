class_name DemoPlayHud
extends CanvasLayer
## What stands around the town while one plays: the clock, the purse, the next goals, what can be used here, and short
## messages. It is written again only after a change.

const MESSAGE_S := 5.0
const MOST_MESSAGES := 3
const GOALS := 3
## Pixels between the panels and the edges of the window, and between two panels.
const EDGE := 12.0
const GAP := 8.0

var game: DemoGame
var journal := DemoJournalPage.new()
var news := DemoNewsPage.new()
var shop := DemoShopPage.new()

var _clock: Label
var _purse: Label
var _goals := VBoxContainer.new()
var _goals_box: PanelContainer
var _prompt: Label
var _prompt_box: PanelContainer
var _hint: Label
var _messages := VBoxContainer.new()
var _dark := ColorRect.new()
var _dark_words: Label
var _fade: Tween
var _minute: int = -1


func _ready() -> void:
	layer = 2
	process_mode = Node.PROCESS_MODE_ALWAYS
	add_to_group(DemoTextSize.GROUP)
	_build_left()
	_build_right()
	_build_prompt()
	_build_dark()
	for page: DemoPage in get_pages():
		page.set(&"game", game)
		page.shut.connect(_on_shut)
		add_child(page)
	game.purse.changed.connect(_write_purse)
	game.journal.changed.connect(_write_goals)
	game.journal.written.connect(say)
	game.reach.changed.connect(_write_prompt)
	_write_purse()
	_write_goals()


func get_pages() -> Array[DemoPage]:
	return [journal, news, shop]


func is_page_open() -> bool:
	return get_pages().any(func(page: DemoPage) -> bool: return page.visible)


## Opens a page, and stops time while it is read. If it is open, closes it.
func turn_to(page: DemoPage) -> void:
	var was_open := page.visible
	close_pages()
	if not was_open:
		page.open()
		get_tree().paused = true


func show_shop(npc_id: String, wares: Dictionary[String, int]) -> void:
	close_pages()
	shop.show_wares(npc_id, wares)
	get_tree().paused = true


func close_pages() -> void:
	for page: DemoPage in get_pages():
		page.close()


## Takes on the size of texts that the player has chosen.
func fit_texts() -> void:
	_write_goals()
	_write_prompt()


## Returns the parts of the screen that panels cover.
func get_boxes() -> Array[Rect2]:
	var boxes: Array[Rect2] = []
	for label: Label in [_clock, _purse, _hint, _prompt] as Array[Label]:
		if label.is_visible_in_tree():
			boxes.append((label.get_parent() as Control).get_global_rect())
	if _goals_box.visible:
		boxes.append(_goals_box.get_global_rect())
	for message: Control in _messages.get_children():
		boxes.append(message.get_global_rect())
	return boxes


## Shows a short message.
func say(text: String) -> void:
	while _messages.get_child_count() >= MOST_MESSAGES:
		var oldest := _messages.get_child(0)
		_messages.remove_child(oldest)
		oldest.queue_free()
	var box := _make_box(0.88)
	_messages.add_child(box)
	var label := DemoPage.add_text(box, text, 15, DemoPalette.TEXT)
	label.custom_minimum_size.x = DemoTextSize.of(300)
	var fade := box.create_tween()
	fade.tween_interval(MESSAGE_S)
	fade.tween_property(box, ^"modulate:a", 0.0, 0.6)
	fade.tween_callback(box.queue_free)


## Darkens the town, as for a night, with some words. Empty words let it be seen again.
func darken(words: String) -> void:
	_dark_words.text = words
	_dark.visible = true
	if _fade != null:
		_fade.kill()
	var fade := create_tween()
	_fade = fade
	fade.tween_property(_dark, ^"modulate:a", 0.0 if words.is_empty() else 1.0, 0.5)
	fade.tween_callback(func() -> void: _dark.visible = _dark.modulate.a > 0.0)


func _process(_delta: float) -> void:
	_prompt_box.visible = not _prompt.text.is_empty() and not game.talk.is_open() and not is_page_open()
	(_hint.get_parent() as Control).visible = not game.talk.is_open() and not is_page_open()
	_goals_box.visible = _goals.get_child_count() > 0 and not is_page_open()
	game.town.labels.covered = get_boxes()
	var minute := int(NpcServer.game_time_s / 60.0)
	if minute != _minute and NpcServer.has_game_time():
		_minute = minute
		_clock.text = "%s    %s" % [DemoHud.get_clock_text(minute * 60), DemoHud.get_date_text(minute * 60)]


func _on_shut() -> void:
	get_tree().paused = false


func _write_purse() -> void:
	var things := game.purse.get_text()
	_purse.text = DemoPurse.crowns_text(game.purse.coins) + ("" if things.is_empty() else "    " + things)


func _write_goals() -> void:
	DemoPage.clear(_goals)
	for goal: Dictionary in game.journal.get_open().slice(0, GOALS):
		var row := HBoxContainer.new()
		row.add_theme_constant_override("separation", 8)
		row.mouse_filter = Control.MOUSE_FILTER_IGNORE
		_goals.add_child(row)
		row.add_child(DemoTick.make(false, DemoPalette.TEXT))
		var label := DemoPage.add_text(row, str(goal["text"]), 14, DemoPalette.TEXT)
		label.custom_minimum_size.x = DemoTextSize.of(240)


func _write_prompt() -> void:
	_prompt.text = "E    %s" % game.reach.prompt if not game.reach.prompt.is_empty() else ""
	# A long one stands above the hint, not on it.
	var hint := (_hint.get_parent() as Control).get_combined_minimum_size() + Vector2(GAP, GAP)
	var wide := _prompt_box.get_combined_minimum_size().x + 2.0 * (hint.x + EDGE)
	_prompt_box.offset_bottom = -16.0 - (hint.y if wide > _prompt_box.get_viewport_rect().size.x else 0.0)
	_prompt_box.offset_top = _prompt_box.offset_bottom


func _make_box(opaque: float) -> PanelContainer:
	var style := StyleBoxFlat.new()
	style.bg_color = Color(DemoPalette.PANEL, opaque)
	style.set_corner_radius_all(8)
	style.set_content_margin_all(8.0)
	style.content_margin_left = 14.0
	style.content_margin_right = 14.0
	var box := PanelContainer.new()
	box.mouse_filter = Control.MOUSE_FILTER_IGNORE
	box.add_theme_stylebox_override("panel", style)
	return box


## Adds a label of one line with a box around it.
func _add_chip(under: Node, pixels: int, colour: Color) -> Label:
	var box := _make_box(0.88)
	box.custom_minimum_size.y = 40.0
	under.add_child(box)
	var label := Label.new()
	label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	DemoTextSize.hold(label, pixels)
	label.add_theme_color_override("font_color", colour)
	box.add_child(label)
	return label


## Adds a column at the left or the right edge.
func _add_column(corner: Control.LayoutPreset) -> VBoxContainer:
	var column := VBoxContainer.new()
	column.set_anchors_and_offsets_preset(corner, Control.PRESET_MODE_MINSIZE, int(EDGE))
	column.grow_horizontal = Control.GROW_DIRECTION_BEGIN if corner == Control.PRESET_TOP_RIGHT else Control.GROW_DIRECTION_END
	column.mouse_filter = Control.MOUSE_FILTER_IGNORE
	column.add_theme_constant_override("separation", int(GAP))
	add_child(column)
	return column


## The clock, and the next goals below it.
func _build_left() -> void:
	var column := _add_column(Control.PRESET_TOP_LEFT)
	_clock = _add_chip(column, 17, DemoPalette.TEXT)
	(_clock.get_parent() as Control).size_flags_horizontal = Control.SIZE_SHRINK_BEGIN
	_goals_box = _make_box(0.72)
	_goals_box.size_flags_horizontal = Control.SIZE_SHRINK_BEGIN
	column.add_child(_goals_box)
	_goals.add_theme_constant_override("separation", 6)
	_goals.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_goals_box.add_child(_goals)


func _build_prompt() -> void:
	_prompt = _add_chip(self, 18, DemoPalette.ACCENT)
	_prompt_box = _prompt.get_parent() as PanelContainer
	_prompt_box.set_anchors_and_offsets_preset(Control.PRESET_CENTER_BOTTOM, Control.PRESET_MODE_MINSIZE)
	_prompt_box.grow_horizontal = Control.GROW_DIRECTION_BOTH
	_prompt_box.grow_vertical = Control.GROW_DIRECTION_BEGIN
	_hint = _add_chip(self, 14, DemoPalette.TEXT_DIM)
	var box := _hint.get_parent() as Control
	box.custom_minimum_size.y = 34.0
	box.set_anchors_and_offsets_preset(Control.PRESET_BOTTOM_RIGHT, Control.PRESET_MODE_MINSIZE, int(EDGE))
	box.grow_horizontal = Control.GROW_DIRECTION_BEGIN
	box.grow_vertical = Control.GROW_DIRECTION_BEGIN
	_hint.text = "J journal    N news    F5 save    Esc menu"


## The purse, and short messages below it.
func _build_right() -> void:
	var column := _add_column(Control.PRESET_TOP_RIGHT)
	_purse = _add_chip(column, 17, DemoPalette.TEXT)
	(_purse.get_parent() as Control).size_flags_horizontal = Control.SIZE_SHRINK_END
	_messages.size_flags_horizontal = Control.SIZE_SHRINK_END
	_messages.add_theme_constant_override("separation", 6)
	_messages.mouse_filter = Control.MOUSE_FILTER_IGNORE
	column.add_child(_messages)


func _build_dark() -> void:
	_dark.color = Color(0.05, 0.05, 0.1)
	_dark.set_anchors_preset(Control.PRESET_FULL_RECT)
	_dark.modulate.a = 0.0
	_dark.visible = false
	_dark.mouse_filter = Control.MOUSE_FILTER_IGNORE
	add_child(_dark)
	_dark_words = DemoPage.add_text(_dark, "", 24, DemoPalette.TEXT)
	_dark_words.set_anchors_preset(Control.PRESET_CENTER)
	_dark_words.grow_horizontal = Control.GROW_DIRECTION_BOTH
	_dark_words.grow_vertical = Control.GROW_DIRECTION_BOTH
	_dark_words.custom_minimum_size.x = 760.0
	_dark_words.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
