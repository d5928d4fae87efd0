class_name DemoTheme
## How the menus look.

const SMALL := 16
const USUAL := 19
const LARGE := 28


## Returns the theme of all menus.
static func make() -> Theme:
	var theme := Theme.new()
	for kind: String in ["Button", "OptionButton", "CheckButton", "Label", "LineEdit", "PopupMenu"] as Array[String]:
		theme.set_font_size("font_size", kind, DemoTextSize.of(USUAL))
		theme.set_color("font_color", kind, DemoPalette.TEXT)
	for kind: String in ["Button", "OptionButton", "CheckButton"] as Array[String]:
		theme.set_stylebox("normal", kind, make_box(DemoPalette.PANEL_LIGHT, Color(DemoPalette.TEXT_DIM, 0.25), 1))
		theme.set_stylebox("hover", kind, make_box(DemoPalette.PANEL_LIGHT.lightened(0.08), DemoPalette.TEXT_DIM, 1))
		theme.set_stylebox("pressed", kind, make_box(DemoPalette.PANEL.lightened(0.02), DemoPalette.ACCENT, 2))
		theme.set_stylebox("hover_pressed", kind, make_box(DemoPalette.PANEL.lightened(0.02), DemoPalette.ACCENT, 2))
		theme.set_stylebox("disabled", kind, make_box(Color(DemoPalette.PANEL_LIGHT, 0.5), Color(0, 0, 0, 0), 0))
		theme.set_stylebox("focus", kind, _make_frame())
		theme.set_color("font_hover_color", kind, Color.WHITE)
		theme.set_color("font_focus_color", kind, Color.WHITE)
		theme.set_color("font_pressed_color", kind, DemoPalette.ACCENT)
		theme.set_color("font_disabled_color", kind, Color(DemoPalette.TEXT_DIM, 0.7))
	theme.set_stylebox("panel", "PopupMenu", make_box(DemoPalette.PANEL, DemoPalette.TEXT_DIM, 1))
	theme.set_stylebox("panel", "PanelContainer", make_box(Color(DemoPalette.PANEL, 0.96), Color(DemoPalette.ACCENT, 0.5), 1, 22.0))
	theme.set_stylebox("focus", "HSlider", _make_frame())
	return theme


## Returns a box with round corners and an edge.
static func make_box(colour: Color, edge: Color, wide: int, margin: float = 10.0) -> StyleBoxFlat:
	var box := StyleBoxFlat.new()
	box.bg_color = colour
	box.set_corner_radius_all(8)
	box.border_color = edge
	box.set_border_width_all(wide)
	box.set_content_margin_all(margin)
	box.content_margin_left = maxf(margin, 16.0)
	box.content_margin_right = maxf(margin, 16.0)
	return box


## Returns a label.
static func label(text: String, size: int = USUAL, colour: Color = DemoPalette.TEXT) -> Label:
	var made := Label.new()
	made.text = text
	made.add_theme_font_size_override("font_size", DemoTextSize.of(size))
	made.add_theme_color_override("font_color", colour)
	return made


## Returns a button.
static func button(text: String, pressed: Callable) -> Button:
	var made := Button.new()
	made.text = text
	made.alignment = HORIZONTAL_ALIGNMENT_LEFT
	made.custom_minimum_size = Vector2(250, 46)
	made.pressed.connect(pressed)
	return made


static func _make_frame() -> StyleBoxFlat:
	var frame := make_box(Color(0, 0, 0, 0), DemoPalette.ACCENT, 2)
	frame.draw_center = false
	frame.set_expand_margin_all(2)
	return frame
