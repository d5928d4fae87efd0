class_name DemoPause
extends CanvasLayer
## The pause menu. Esc or the pad's Start opens it, and everything stands still: people, the game clock and with it the
## server's, and sounds.

## Emitted when the game stands still.
signal paused
## Emitted when the game goes on.
signal resumed

const ENTRIES: Array[String] = ["Go on", "Save", "Load", "Settings", "Back to the title", "Quit"]

var _menu := Control.new()
var _page: DemoMenuPage
var _buttons: Dictionary[String, Button] = {}
var _told: Label
var _picture: Image
var _last: String = "Go on"


func _ready() -> void:
	layer = 20
	DemoStart.add_pad()
	visible = false
	process_mode = Node.PROCESS_MODE_ALWAYS


func is_open() -> bool:
	return visible


## Stops the game and shows the menu.
func open() -> void:
	if visible:
		return
	_picture = DemoSlots.take_picture(get_viewport())
	get_tree().paused = true
	visible = true
	_last = "Go on"
	_build()
	paused.emit()


## Lets the game go on.
func close() -> void:
	if not visible:
		return
	if _page != null:
		_close_page()
	visible = false
	_menu.queue_free()
	get_tree().paused = false
	resumed.emit()


func _unhandled_input(event: InputEvent) -> void:
	var is_start: bool = event is InputEventJoypadButton and (event as InputEventJoypadButton).button_index == JOY_BUTTON_START
	var is_asked := event.is_action_pressed("ui_cancel") and not event is InputEventJoypadButton
	if not is_asked and not (is_start and event.is_pressed()):
		return
	get_viewport().set_input_as_handled()
	if visible:
		close()
	else:
		open()


func _build() -> void:
	if is_instance_valid(_menu):
		_menu.queue_free()
	_menu = Control.new()
	_menu.theme = DemoTheme.make()
	_menu.set_anchors_preset(Control.PRESET_FULL_RECT)
	add_child(_menu)
	var shade := ColorRect.new()
	shade.color = Color(0.08, 0.07, 0.1, 0.62)
	shade.set_anchors_preset(Control.PRESET_FULL_RECT)
	_menu.add_child(shade)
	var panel := PanelContainer.new()
	panel.set_anchors_preset(Control.PRESET_CENTER)
	panel.grow_horizontal = Control.GROW_DIRECTION_BOTH
	panel.grow_vertical = Control.GROW_DIRECTION_BOTH
	_menu.add_child(panel)
	var column := VBoxContainer.new()
	column.add_theme_constant_override("separation", 10)
	panel.add_child(column)
	column.add_child(DemoTheme.label("Paused", DemoTheme.LARGE, DemoPalette.ACCENT))
	_told = DemoTheme.label(_get_time_text(), DemoTheme.SMALL, DemoPalette.TEXT_DIM)
	_told.custom_minimum_size.x = 320
	_told.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	column.add_child(_told)
	_buttons.clear()
	for entry: String in ENTRIES:
		var button := DemoTheme.button(entry, _on_pressed.bind(entry))
		button.custom_minimum_size = Vector2(320, 46)
		column.add_child(button)
		_buttons[entry] = button
	_buttons["Save"].disabled = not NpcServer.is_playing()
	_buttons[_last].grab_focus()


func _get_time_text() -> String:
	if not NpcServer.has_game_time():
		return "The town has not begun yet."
	var at := int(NpcServer.game_time_s)
	return "%s, %s" % [DemoHud.get_clock_text(at), DemoHud.get_date_text(at)]


func _on_pressed(entry: String) -> void:
	_last = entry
	match entry:
		"Go on":
			close()
		"Save":
			var slots := DemoSlotsPage.new()
			slots.saves = true
			slots.save_chosen.connect(_on_save_chosen)
			_open_page(slots)
		"Load":
			var slots := DemoSlotsPage.new()
			slots.load_chosen.connect(_on_load_chosen)
			_open_page(slots)
		"Settings":
			var settings := DemoSettingsPage.new()
			settings.text_changed.connect(_on_text_changed)
			_open_page(settings)
		"Back to the title":
			DemoStart.leave(get_tree())
		"Quit":
			NpcServer.stop()
			get_tree().quit()


func _open_page(page: DemoMenuPage) -> void:
	_page = page
	page.theme = DemoTheme.make()
	page.closed.connect(_close_page)
	add_child(page)
	page.focus_first()


func _close_page() -> void:
	_page.queue_free()
	_page = null
	_buttons[_last].grab_focus()


func _on_text_changed() -> void:
	_build()
	move_child(_menu, 0)


func _on_save_chosen(slot: String) -> void:
	_close_page()
	_told.text = "Saving …"
	var request := DemoSlots.save(get_viewport(), slot, _picture)
	var done: bool = await request.done()
	if is_instance_valid(_told):
		_told.text = "Saved as “%s”." % slot if done else "Not saved: %s" % request.error.message


func _on_load_chosen(save: Dictionary) -> void:
	var slot := str(save["slot"])
	var town := str(save.get("town_id", ""))
	if NpcServer.is_playing() and town == NpcSettings.get_text(NpcSettings.TOWN).get_base_dir().get_file():
		_close_page()
		_told.text = "Loading …"
		var request := NpcServer.load_game(slot)
		if not await request.done():
			_told.text = "Not loaded: %s" % request.error.message
			return
		# What was loaded goes on in the slot that is played.
		DemoStart.open(get_tree())
		return
	DemoStart.begin(get_tree(), town, slot, DemoStart.is_watched)
