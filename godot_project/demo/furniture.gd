@tool
class_name DemoFurniture
extends NpcObject
## An object of the town, drawn by its kind. It has a halo while it is in use.

const STATE_SIZE := 14
const RESTING: Array[String] = [
	"", "off", "cold", "closed", "tidy", "free", "made", "clear", "clean", "unattended", "still", "full", "stocked", "stacked"
]
const QUIET: Array[String] = [
	"dry",
	"watered",
	"half empty",
	"unmade",
	"empty",
	"bare",
	"laid out",
	"out",
	"wiped",
	"written on",
	"silent",
	"littered",
	"full of dough",
	"full of curd"
]

## The zoom of the camera. Texts are not shrunk by it.
static var zoom: float = 1.0

## The kind in the town file, such as "bed". It decides what the object looks like.
@export var kind: String = "":
	set(value):
		kind = value
		queue_redraw()

## What it looks like, if not like others of its kind: shelves may be "bread shelves", and a market stall a "fish stall".
@export var look: String = "":
	set(value):
		look = value
		queue_redraw()

## For beds: if [code]true[/code], the foot is above the head.
var upside_down: bool = false
## What can go wrong with the object, or [code]null[/code].
var incidents: DemoIncidents = null


func _ready() -> void:
	super()
	if Engine.is_editor_hint():
		return
	state_changed.connect(func(_state: String, _by: String) -> void: queue_redraw())
	used.connect(_on_used)


func _draw() -> void:
	var brush := DemoBrush.new()
	if is_busy():
		brush.glow(Vector2.ZERO, 21.0, Color(Color("e0452f") if is_wrong() else DemoPalette.ACCENT, 0.75))
	match kind:
		"bed":
			_draw_bed(brush)
		"pond":
			DemoFurnitureShapes.paint_pond(brush)
		"tree":
			DemoPlants.paint_tree(brush, Vector2(0, 4), 0.62)
		_:
			brush.shapes(DemoFurnitureShapes.of(kind if look.is_empty() else look, state, is_busy()), Vector2.ZERO)
	if state == "burning":
		_draw_flames(brush)
	brush.flush(self)
	_draw_state()


## Takes from the map of the town what follows from where the object stands.
func fit_in(object: DemoTownPlan.TownObject) -> void:
	var is_turned := object.foot.y < object.cell.y
	if is_turned != upside_down:
		upside_down = is_turned
		queue_redraw()
	if not Engine.is_editor_hint():
		incidents = DemoIncidents.new(object.address, object.incidents, NpcSettings.get_int(NpcSettings.SEED))


## Returns [code]true[/code] while something is wrong with the object: it burns, or it is empty.
func is_wrong() -> bool:
	return incidents != null and incidents.leads_to(state)


## Returns [code]true[/code] while somebody uses the object, or it burns.
func is_busy() -> bool:
	return state not in RESTING and state not in QUIET


## Returns [code]true[/code] if the state is written below the object: if something is wrong. Otherwise the drawing tells.
func shows_state() -> bool:
	return is_wrong()


## Returns where the state is written, in global coordinates.
func get_state_area() -> Rect2:
	var wide := ThemeDB.fallback_font.get_string_size(state, HORIZONTAL_ALIGNMENT_LEFT, -1, STATE_SIZE).x
	var area := Rect2(-wide / 2.0 - 4, -13, wide + 8, 18)
	return Rect2(global_position + Vector2(0, 24) + area.position * get_words_scale(), area.size * get_words_scale())


## Returns the scale of texts, which keeps them readable when the town is zoomed out.
func get_words_scale() -> float:
	return maxf(1.0, 1.0 / zoom) * DemoTextSize.scale


## The change has no author, so the character who caused it has to notice it like everybody else.
func _on_used(_npc_id: String, object_action: String) -> void:
	var wrong := incidents.get_state_after(object_action) if incidents != null else ""
	if not wrong.is_empty():
		apply_state(wrong)


func _draw_flames(brush: DemoBrush) -> void:
	for flame: Vector2 in [Vector2(-5, 3), Vector2(5, 3), Vector2(0, 6)] as Array[Vector2]:
		for part: Array in [[1.0, Color("e0452f")], [0.55, Color("f9c440")]] as Array[Array]:
			var wide := 5.0 * (part[0] as float)
			var high := 17.0 * (part[0] as float)
			brush.shape([flame + Vector2(-wide, 0), flame + Vector2(0, -high), flame + Vector2(wide, 0)], part[1] as Color)
			brush.disc(flame, wide, part[1] as Color)


func _draw_bed(brush: DemoBrush) -> void:
	var turn := -1.0 if upside_down else 1.0
	var at := func(area: Rect2) -> Rect2: return area if turn > 0.0 else Rect2(-area.end, area.size)
	brush.rect(Rect2((at.call(Rect2(-9, -10, 18, 30)) as Rect2).position + Vector2(2, 3), Vector2(18, 30)), DemoPalette.SHADOW)
	brush.rect(at.call(Rect2(-9.5, -11, 19, 31.5)) as Rect2, DemoFurnitureShapes.DARK_WOOD)
	brush.rect(at.call(Rect2(-8, -9, 16, 28)) as Rect2, DemoPalette.PAPER)
	brush.rect(at.call(Rect2(-6, -8, 12, 7)) as Rect2, Color("ffffff"))
	if state == "unmade":
		brush.shape(
			[Vector2(-8, 9) * turn, Vector2(2, 4) * turn, Vector2(8, 12) * turn, Vector2(8, 19) * turn, Vector2(-8, 19) * turn],
			DemoPalette.BLANKET
		)
	else:
		brush.rect(at.call(Rect2(-8, 1, 16, 18)) as Rect2, DemoPalette.BLANKET)
		brush.rect(at.call(Rect2(-8, 1, 16, 3.5)) as Rect2, DemoPalette.BLANKET.lightened(0.4))


## Writes the state below the object.
func _draw_state() -> void:
	if not shows_state():
		return
	var font := ThemeDB.fallback_font
	draw_set_transform(Vector2(0, 24), 0.0, Vector2.ONE * get_words_scale())
	var wide := font.get_string_size(state, HORIZONTAL_ALIGNMENT_LEFT, -1, STATE_SIZE).x
	draw_rect(Rect2(-wide / 2.0 - 4, -13, wide + 8, 18), Color("8f1d12", 0.78))
	draw_string(font, Vector2(-wide / 2.0, 1.0), state, HORIZONTAL_ALIGNMENT_LEFT, -1, STATE_SIZE, DemoPalette.ACCENT)
	draw_set_transform(Vector2.ZERO)
