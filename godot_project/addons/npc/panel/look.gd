@tool
extends RefCounted
## How the panel looks, and in which words it tells what messages hold.

## The smallest text.
const SMALL := 14
## Titles.
const LARGE := 20
## Space around what is drawn.
const GAP := 8.0

const INK := Color("edf0f3")
const DIM := Color("a7b0ba")
const BACK := Color("20252b")
const RAISED := Color("2b323a")
const ACCENT := Color("6cb4ee")
const GOOD := Color("8fce8a")
const BAD := Color("f2938c")
const GOLD := Color("e9c46a")

## The colour of each one who answers, and of each source of a decision.
const BY: Dictionary[String, Color] = {
	"model": Color("6cb4ee"),
	"memory": Color("c39be8"),
	"bank": Color("e9c46a"),
	"chosen": Color("d9aee0"),
	"policy": Color("8fce8a"),
	"instinct": Color("e8a27c"),
	"routine": Color("a7b0ba"),
}
const KINDS: Dictionary[String, String] = {
	"observation": "noticed",
	"plan": "planned",
	"reflection": "concluded",
	"conversation": "talked",
	"seed": "knows from the start",
	"intention": "intends",
}
const KIND_COLOURS: Dictionary[String, Color] = {
	"observation": Color("8fb9d8"),
	"plan": Color("8fce8a"),
	"reflection": Color("e9c46a"),
	"conversation": Color("c39be8"),
	"seed": Color("a7b0ba"),
	"intention": Color("e8a27c"),
}
const NEEDS: PackedStringArray = ["food", "rest", "company", "fun", "health"]
const PARTS: PackedStringArray = ["recency", "importance", "relevance"]
const PART_COLOURS: Array[Color] = [Color("6cb4ee"), Color("e9c46a"), Color("8fce8a")]
const WEEKDAYS: PackedStringArray = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const MONTHS: PackedStringArray = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


## Returns the size of text that a control draws: that of labels, and in a game at least [constant SMALL]. In the editor its
## user has chosen the size.
static func font_size(of: Control) -> int:
	var size := of.get_theme_font_size(&"font_size", &"Label")
	return size if Engine.is_editor_hint() else maxi(SMALL, size)


## Makes the theme of the panel in a game. In the editor the editor's theme is used.
static func make_theme() -> Theme:
	var theme := Theme.new()
	theme.default_font_size = 15
	for kind: String in ["Label", "Button", "CheckButton", "OptionButton", "LineEdit", "Tree", "TabBar", "TextEdit", "RichTextLabel"]:
		theme.set_color(&"font_color", kind, INK)
	theme.set_color(&"default_color", &"RichTextLabel", INK)
	theme.set_color(&"font_readonly_color", &"TextEdit", INK)
	theme.set_color(&"font_placeholder_color", &"LineEdit", DIM)
	theme.set_color(&"font_unselected_color", &"TabBar", DIM)
	theme.set_color(&"font_selected_color", &"TabBar", INK)
	theme.set_color(&"font_hovered_color", &"TabBar", INK)
	theme.set_stylebox(&"panel", &"PanelContainer", make_box(BACK, 0.0))
	for kind: String in ["LineEdit", "TextEdit", "Button", "OptionButton"]:
		for state: String in ["normal", "read_only", "hover", "pressed"]:
			theme.set_stylebox(state, kind, make_box(RAISED if state != "hover" else RAISED.lightened(0.08), 6.0))
		theme.set_stylebox(&"focus", kind, _make_frame())
	theme.set_stylebox(&"panel", &"Tree", make_box(Color(0, 0, 0, 0.16), 4.0))
	theme.set_stylebox(&"focus", &"Tree", _make_frame())
	theme.set_stylebox(&"tab_selected", &"TabBar", make_box(RAISED, 8.0, ACCENT))
	theme.set_stylebox(&"tab_unselected", &"TabBar", make_box(BACK, 8.0))
	theme.set_stylebox(&"tab_hovered", &"TabBar", make_box(RAISED, 8.0))
	theme.set_stylebox(&"tab_focus", &"TabBar", _make_frame())
	return theme


## Makes a plain background. With [param edge], a line of that colour is at the bottom.
static func make_box(colour: Color, margin: float, edge: Color = Color.TRANSPARENT) -> StyleBoxFlat:
	var box := StyleBoxFlat.new()
	box.bg_color = colour
	box.set_content_margin_all(margin)
	box.set_corner_radius_all(3)
	if edge.a > 0.0:
		box.border_width_bottom = 2
		box.border_color = edge
	return box


static func _make_frame() -> StyleBoxFlat:
	var box := make_box(Color.TRANSPARENT, 6.0)
	box.draw_center = false
	box.set_border_width_all(1)
	box.border_color = ACCENT
	return box


## Makes a label that wraps.
static func make_label(size: int = 0, is_dim: bool = false) -> Label:
	var label := Label.new()
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	if size > 0:
		label.add_theme_font_size_override(&"font_size", size)
	if is_dim:
		label.self_modulate.a = 0.72
	return label


## Makes a field that shows text which can be selected and copied.
static func make_text() -> TextEdit:
	var text := TextEdit.new()
	text.editable = false
	text.wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
	text.context_menu_enabled = true
	text.size_flags_vertical = Control.SIZE_EXPAND_FILL
	text.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	return text


## Returns "model" for "ANSWERED_BY_MODEL" and "DECISION_SOURCE_MODEL", and so on for all enums of npc.proto.
static func word(value: Variant, prefix: String) -> String:
	return str(value).trim_prefix(prefix + "_").to_lower()


## Returns who decided an action or a step.
static func source_of(message: Dictionary) -> String:
	return word(message.get("source", ""), "DECISION_SOURCE")


## Returns a game time as "Mon 4 May, 09:12".
static func moment(at_s: int) -> String:
	var at := Time.get_datetime_dict_from_unix_time(at_s)
	return "%s %d %s, %02d:%02d" % [WEEKDAYS[at["weekday"]], at["day"], MONTHS[int(at["month"]) - 1], at["hour"], at["minute"]]


## Returns a game time as "09:12".
static func hour(at_s: int) -> String:
	var at := Time.get_datetime_dict_from_unix_time(at_s)
	return "%02d:%02d" % [at["hour"], at["minute"]]


## Returns the last two parts of an address: "kitchen, oven".
static func place(address: String) -> String:
	var parts := address.replace("_", " ").split(":")
	return ", ".join(parts.slice(maxi(1, parts.size() - 2))) if parts.size() > 1 else address


## Returns whole numbers with a comma for thousands.
static func count(number: int) -> String:
	var digits := str(absi(number))
	for at: int in range(digits.length() - 3, 0, -3):
		digits = digits.insert(at, ",")
	return digits if number >= 0 else "-" + digits


## Returns how a memory came to be: "saw", "Ines said".
static func origin_of(memory: Dictionary, names: Dictionary[String, String]) -> String:
	var person := str(memory.get("source_person", ""))
	var by := names.get(person, person) as String
	match word(memory.get("source", ""), "MEMORY_SOURCE"):
		"seen":
			return "saw it" if word(memory.get("kind", ""), "MEMORY_KIND") == "observation" else ""
		"heard":
			return "overheard %s" % by if not by.is_empty() else "overheard it"
		"told":
			return "%s said it" % by if not by.is_empty() else "was told"
		"thought":
			return "own thought"
		"known":
			return "always known"
	return ""
