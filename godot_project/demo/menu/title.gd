class_name DemoTitle
extends Node
## The title: continue, a new game, load, settings, watch, quit. Keys, mouse and pad steer it.

## With one of these arguments of the command line the town opens at once.
const AT_ONCE: Array[String] = ["quit-after-stored", "watch"]
const ENTRIES: Array[String] = ["Continue", "New game", "Load", "Settings", "Watch the town", "Quit"]

var _layer := CanvasLayer.new()
var _menu: Control
var _page: DemoMenuPage
var _buttons: Dictionary[String, Button] = {}
var _newest: Dictionary = {}
## The town behind the menu, which gives the title its name.
var _town: String = ""
var _told: Label
var _last: String = "Continue"
var _sounds := DemoSounds.new()


func _ready() -> void:
	DemoSettings.apply()
	DemoStart.add_pad()
	for name_of: String in AT_ONCE:
		if DemoTown.has_argument(name_of):
			get_tree().change_scene_to_file.call_deferred(DemoStart.WATCH)
			return
	var backdrop := DemoBackdrop.new()
	backdrop.town = DemoTown.argument("town") if FileAccess.file_exists(DemoBackdrop.TOWN % DemoTown.argument("town")) else "millbrook"
	_town = backdrop.town
	add_child(backdrop)
	add_child(_sounds)
	add_child(_layer)
	_build()
	if DemoTown.has_argument("no-server"):
		_tell("")
	else:
		_look_for_saves()


func _build() -> void:
	var had := _menu != null
	if had:
		_menu.queue_free()
	_menu = Control.new()
	_menu.theme = DemoTheme.make()
	_menu.set_anchors_preset(Control.PRESET_FULL_RECT)
	_menu.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_layer.add_child(_menu)
	_add_shade()
	var column := VBoxContainer.new()
	column.position = Vector2(84, 96)
	column.custom_minimum_size.x = 330
	column.add_theme_constant_override("separation", 10)
	_menu.add_child(column)
	var title := DemoTheme.label(_town.capitalize(), 64, DemoPalette.PAPER)
	title.add_theme_color_override("font_shadow_color", Color(0, 0, 0, 0.6))
	title.add_theme_constant_override("shadow_offset_y", 4)
	column.add_child(title)
	column.add_child(DemoTheme.label("A town whose people think and remember", DemoTheme.USUAL, DemoPalette.ACCENT))
	column.add_child(_make_gap(18))
	_buttons.clear()
	for entry: String in ENTRIES:
		var button := DemoTheme.button(entry, _on_pressed.bind(entry))
		button.custom_minimum_size = Vector2(330, 48)
		column.add_child(button)
		_buttons[entry] = button
	_told = DemoTheme.label("Looking for saves …", DemoTheme.SMALL, DemoPalette.TEXT_DIM)
	_told.position = Vector2(84, 668)
	_told.size = Vector2(1100, 26)
	_told.clip_text = true
	_menu.add_child(_told)
	_tell(_told.text if not had else "")


## The left of the picture darkens, so that one can read there.
func _add_shade() -> void:
	var gradient := Gradient.new()
	gradient.set_color(0, Color(DemoPalette.PANEL, 0.92))
	gradient.set_color(1, Color(DemoPalette.PANEL, 0.0))
	var texture := GradientTexture2D.new()
	texture.gradient = gradient
	var shade := TextureRect.new()
	shade.texture = texture
	shade.mouse_filter = Control.MOUSE_FILTER_IGNORE
	shade.set_anchors_preset(Control.PRESET_LEFT_WIDE)
	shade.offset_right = 820
	shade.stretch_mode = TextureRect.STRETCH_SCALE
	_menu.add_child(shade)


func _make_gap(high: float) -> Control:
	var gap := Control.new()
	gap.custom_minimum_size.y = high
	return gap


func _tell(text: String) -> void:
	_told.text = text
	_buttons["Continue"].disabled = _newest.is_empty()
	# Whoever has moved on already keeps the place.
	var focused := get_viewport().gui_get_focus_owner()
	if _page == null and (focused == null or (focused == _buttons["New game"] and _last == "Continue")):
		_focus(_last if not _buttons[_last].disabled else "New game")


func _focus(entry: String) -> void:
	if not DisplayServer.is_touchscreen_available() or DisplayServer.get_name() == "headless":
		_buttons[entry].grab_focus()


func _look_for_saves() -> void:
	var request := NpcServer.list_saves()
	var found: bool = await request.done()
	if not is_inside_tree():
		return
	if not found:
		_tell(request.error.message if request.error != null else "The server does not answer.")
		return
	for save: Dictionary in request.response.get("saves", []) as Array:
		if _newest.is_empty() and str(save.get("problem", "")).is_empty() and _has_town(save):
			_newest = save
	var at := int(_newest.get("game_time_s", 0) as float)
	_tell("" if _newest.is_empty() else "%s: %s, %s" % [_newest["slot"], DemoHud.get_clock_text(at), DemoHud.get_date_text(at)])


func _has_town(save: Dictionary) -> bool:
	return FileAccess.file_exists(DemoBackdrop.TOWN % str(save.get("town_id", "")))


func _on_pressed(entry: String) -> void:
	_last = entry
	match entry:
		"Continue":
			_play(str(_newest["town_id"]), str(_newest["slot"]), false)
		"New game":
			var towns := DemoTownPage.new()
			towns.chosen.connect(_on_town_chosen)
			_open(towns)
		"Load":
			var slots := DemoSlotsPage.new()
			slots.load_chosen.connect(
				func(save: Dictionary) -> void: _play(str(save.get("town_id", "millbrook")), str(save["slot"]), false)
			)
			_open(slots)
		"Settings":
			var settings := DemoSettingsPage.new()
			settings.text_changed.connect(_on_text_changed)
			_open(settings)
		"Watch the town":
			var given := DemoTown.argument("town")
			var town := given if not given.is_empty() else str(_newest.get("town_id", "millbrook"))
			_play(town, town, true)
		"Quit":
			NpcServer.stop()
			get_tree().quit()


func _open(page: DemoMenuPage) -> void:
	_page = page
	page.theme = DemoTheme.make()
	page.closed.connect(_close)
	_layer.add_child(page)
	_menu.visible = false
	page.focus_first()


func _close() -> void:
	_page.queue_free()
	_page = null
	_menu.visible = true
	_focus(_last if not _buttons[_last].disabled else "New game")


## The menus are built anew with the other size.
func _on_text_changed() -> void:
	_build()
	_menu.visible = false


func _on_town_chosen(town: String) -> void:
	var taken := PackedStringArray()
	if not DemoTown.has_argument("no-server"):
		var request := NpcServer.list_saves()
		if await request.done():
			for save: Dictionary in request.response.get("saves", []) as Array:
				taken.append(str(save["slot"]))
	_play(town, DemoSlots.get_free_name(town, taken), false)


func _play(town: String, slot: String, watch: bool) -> void:
	DemoStart.begin(get_tree(), town, slot, watch)
