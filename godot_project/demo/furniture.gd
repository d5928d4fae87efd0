class_name DemoFurniture
extends NpcObject
## A thing of the town, drawn by its kind; lit up while it is in use.

const STATE_SIZE := 10
## From farther away there is no room for the states of all that is in use.
const FAR := 0.8
const RESTING := [
	"", "off", "cold", "closed", "tidy", "free", "made", "clear", "clean", "unattended", "still", "full", "stocked", "stacked"
]
const QUIET := ["dry", "half empty", "unmade", "empty"]

## From how far away the town is seen; 1 is near. Words are not shrunk with the rest.
static var zoom: float = 1.0

## As in the town file: "bed", "stove" …
var kind: String = ""
## Beds: true when the foot lies above the head.
var upside_down: bool = false
## What goes wrong with it; null for nothing.
var incidents: DemoIncidents = null


func _ready() -> void:
	super()
	state_changed.connect(func(_state: String, _by: String) -> void: queue_redraw())
	used.connect(_on_used)


## True while something is wrong with it: it burns, it is empty.
func is_wrong() -> bool:
	return incidents != null and incidents.leads_to(state)


## Nobody wanted it, so whoever did it has to see it like everybody else.
func _on_used(_npc_id: String, object_action: String) -> void:
	var wrong := incidents.after(object_action) if incidents != null else ""
	if not wrong.is_empty():
		apply_state(wrong)


## True while somebody uses it, or it burns.
func is_busy() -> bool:
	return state not in RESTING and state not in QUIET


func _draw() -> void:
	var box := Rect2(Vector2(-9, -9), Vector2(18, 18))
	if is_busy():
		draw_circle(Vector2.ZERO, 15.0, Color(Color("e0452f") if is_wrong() else DemoPalette.ACCENT, 0.35))
	match kind:
		"bed":
			_draw_bed()
		"pond":
			_draw_pond()
		"stove", "oven":
			_box(box, Color("6d6a70"))
			var fire := Color("f08a3c") if is_busy() else Color("3d3b40")
			for at: Vector2 in [Vector2(-4, -4), Vector2(4, -4), Vector2(-4, 4), Vector2(4, 4)] as Array[Vector2]:
				draw_circle(at, 3.0, fire)
		"refrigerator":
			_box(box, Color("e8ecec"))
			draw_line(Vector2(-9, -2), Vector2(9, -2), Color("a9b4b5"), 1.5)
			draw_line(Vector2(5, -7), Vector2(5, -4), Color("7e8a8c"), 2.0)
			if state == "empty":
				draw_rect(Rect2(-7, 0, 14, 7), Color("3d3b40"))
		"sink", "washbasin":
			_box(box, Color("b9c4c6"))
			draw_circle(Vector2(0, 1), 6.0, Color("e9f2f3"))
			draw_circle(Vector2(0, 1), 4.0, DemoPalette.WATER_LIGHT if is_busy() else Color("cfd9da"))
			draw_line(Vector2(0, -8), Vector2(0, -2), Color("7e8a8c"), 2.0)
		"shower":
			_box(box, Color("d5e4e8"))
			for x: int in 3:
				draw_line(Vector2(-5 + x * 5, -5), Vector2(-5 + x * 5, 7), DemoPalette.WATER if is_busy() else Color("b6c8cd"), 1.5)
			draw_rect(Rect2(-7, -8, 14, 3), Color("7e8a8c"))
		"toilet":
			draw_rect(Rect2(-6, -9, 12, 6), Color("dde3e3"))
			draw_circle(Vector2(0, 2), 6.5, Color("f4f7f7"))
			draw_circle(Vector2(0, 2), 4.0, Color("b9cdd3"))
		"table":
			_chair(Vector2(-11, 0))
			_chair(Vector2(11, 0))
			draw_circle(Vector2(2, 3), 9.5, DemoPalette.SHADOW)
			draw_circle(Vector2.ZERO, 9.5, Color("9c6a3d"))
			draw_circle(Vector2.ZERO, 7.5, Color("b07c4b"))
			if is_busy():
				draw_circle(Vector2(-3, 0), 3.0, DemoPalette.PAPER)
				draw_circle(Vector2(4, -2), 2.0, Color("c9574c"))
		"desk", "workbench", "counter":
			_box(Rect2(-11, -7, 22, 14), Color("8d5f38"))
			_draw_on_top()
		"wardrobe":
			_box(box, Color("7a5434"))
			draw_line(Vector2(0, -9), Vector2(0, 9), Color("5b3c24"), 1.5)
			draw_circle(Vector2(-2.5, 0), 1.2, DemoPalette.ACCENT)
			draw_circle(Vector2(2.5, 0), 1.2, DemoPalette.ACCENT)
		"bookshelf", "shelves":
			_box(Rect2(-10, -8, 20, 16), Color("7a5434"))
			var colours: Array[Color] = [Color("c9574c"), Color("4f7cac"), Color("e6ad55"), Color("5c9e6d"), Color("9a6fb0")]
			var shown := 3 if state == "half empty" else 5
			for row: int in 2:
				for i: int in shown:
					draw_rect(Rect2(-8.5 + i * 3.5, -6 + row * 7, 2.6, 5.5), colours[(i + row * 2) % 5])
		"piano":
			_box(Rect2(-10, -7, 20, 14), Color("3b2a24"))
			draw_rect(Rect2(-9, 1, 18, 5), DemoPalette.PAPER)
			for i: int in 5:
				draw_line(Vector2(-6 + i * 3, 1), Vector2(-6 + i * 3, 4), DemoPalette.INK, 1.5)
		"easel":
			for x: float in [-7.0, 7.0] as Array[float]:
				draw_line(Vector2(0, -9), Vector2(x, 9), Color("7a5434"), 2.0)
			draw_rect(Rect2(-6, -7, 12, 10), DemoPalette.PAPER)
			if state != "empty":
				draw_polyline(PackedVector2Array([Vector2(-4, 1), Vector2(-1, -4), Vector2(1, -1), Vector2(4, -5)]), Color("4f7cac"), 1.5)
		"coffee machine":
			_box(Rect2(-8, -8, 16, 16), Color("8c3b33"))
			draw_rect(Rect2(-5, -2, 10, 7), Color("2d2422"))
			draw_circle(Vector2(0, 3), 2.5, DemoPalette.PAPER)
		"crates":
			_box(Rect2(-10, -8, 12, 12), Color("b58a54"))
			_box(Rect2(-1, -2, 11, 11), Color("c39b69"))
			draw_line(Vector2(-10, -8), Vector2(2, 4), Color("8a6336"), 1.5)
			draw_line(Vector2(-1, 9), Vector2(10, -2), Color("8a6336"), 1.5)
		"lathe":
			_box(Rect2(-11, -5, 22, 10), Color("5d6b73"))
			draw_rect(Rect2(-7, -2, 14, 4), Color("c39b69"))
			draw_circle(Vector2(-8, 0), 3.5, DemoPalette.ACCENT if is_busy() else Color("394349"))
		"wood rack":
			for i: int in 4:
				draw_rect(Rect2(-10, -9 + i * 5, 20, 3.5), [Color("b58a54"), Color("9c6a3d")][i % 2])
		"bench":
			draw_rect(Rect2(-10, -3, 20, 8), DemoPalette.SHADOW)
			for i: int in 3:
				draw_rect(Rect2(-10, -6 + i * 4, 20, 3), Color("8d5f38"))
		"flower bed":
			_box(Rect2(-12, -10, 24, 20), Color("6a4a33") if state == "dry" else Color("4c3424"))
			var petals: Array[Color] = [Color("e2726c"), Color("f3d36b"), Color("d79bd0"), Color("f2f0ea")]
			for i: int in 9:
				var at := Vector2(-8 + (i % 3) * 8, -6 + floorf(i / 3.0) * 6)
				draw_circle(at + Vector2(0, 1.5), 2.6, Color("55803f"))
				draw_circle(at, 2.2, petals[i % 4])
		"well":
			draw_circle(Vector2(2, 3), 11.0, DemoPalette.SHADOW)
			draw_circle(Vector2.ZERO, 11.0, Color("8c8478"))
			draw_circle(Vector2.ZERO, 7.0, Color("35505c"))
			draw_line(Vector2(-11, -3), Vector2(11, -3), Color("6a4a33"), 3.0)
		"notice board":
			draw_rect(Rect2(-10, -9, 20, 14), Color("6a4a33"))
			draw_rect(Rect2(-8, -7, 7, 8), DemoPalette.PAPER)
			draw_rect(Rect2(1, -6, 6, 6), Color("f3d9a4"))
			draw_line(Vector2(-7, 5), Vector2(-7, 10), Color("5b3c24"), 2.5)
			draw_line(Vector2(7, 5), Vector2(7, 10), Color("5b3c24"), 2.5)
		_:
			_box(box, Color("9c8a76"))
	if state == "burning":
		_draw_flames()
	_draw_state()


func _draw_flames() -> void:
	for flame: Vector2 in [Vector2(-5, 3), Vector2(5, 3), Vector2(0, 6)] as Array[Vector2]:
		for part: Array in [[1.0, Color("e0452f")], [0.55, Color("f9c440")]] as Array[Array]:
			var wide := 5.0 * float(str(part[0]))
			var high := 17.0 * float(str(part[0]))
			var points := PackedVector2Array([flame + Vector2(-wide, 0), flame + Vector2(0, -high), flame + Vector2(wide, 0)])
			draw_colored_polygon(points, part[1] as Color)
			draw_circle(flame, wide, part[1] as Color)


func _box(rect: Rect2, colour: Color) -> void:
	draw_rect(Rect2(rect.position + Vector2(2, 3), rect.size), DemoPalette.SHADOW)
	draw_rect(rect, colour)
	draw_rect(rect, colour.darkened(0.35), false, 1.0)


func _chair(at: Vector2) -> void:
	draw_rect(Rect2(at - Vector2(3.5, 4), Vector2(7, 8)), Color("7a5434"))


func _draw_bed() -> void:
	if upside_down:
		draw_set_transform(Vector2.ZERO, PI)
	_box(Rect2(-9, -10, 18, 30), Color("7a5434"))
	draw_rect(Rect2(-8, -8, 16, 27), DemoPalette.PAPER)
	draw_rect(Rect2(-6, -7, 12, 6), Color("ffffff"))
	if state == "made":
		draw_rect(Rect2(-8, 1, 16, 18), Color("7c93b8"))
		draw_rect(Rect2(-8, 1, 16, 3), Color("a5b6d2"))
	elif state == "unmade":
		draw_colored_polygon(
			PackedVector2Array([Vector2(-8, 9), Vector2(2, 4), Vector2(8, 12), Vector2(8, 19), Vector2(-8, 19)]), Color("7c93b8")
		)
	draw_set_transform(Vector2.ZERO)


func _draw_pond() -> void:
	for ring: Array in [[34.0, Color("c8b98a")], [31.0, DemoPalette.WATER], [20.0, DemoPalette.WATER_LIGHT]] as Array[Array]:
		draw_set_transform(Vector2(8, 8), 0.0, Vector2(1.35, 0.85))
		draw_circle(Vector2.ZERO, float(str(ring[0])), ring[1] as Color)
	draw_set_transform(Vector2.ZERO)
	for at: Vector2 in [Vector2(-12, 2), Vector2(26, 14), Vector2(20, -6)] as Array[Vector2]:
		draw_arc(at, 4.0, PI * 0.1, PI * 0.9, 8, Color("e6f0f2"), 1.5)
	for at: Vector2 in [Vector2(2, 16), Vector2(12, 2)] as Array[Vector2]:
		draw_circle(at, 3.5, DemoPalette.PAPER)
		draw_circle(at + Vector2(3, -2.5), 2.2, DemoPalette.PAPER)
		draw_line(at + Vector2(5, -2.5), at + Vector2(7, -2.2), Color("e69138"), 2.0)


func _draw_on_top() -> void:
	match kind:
		"desk":
			draw_rect(Rect2(-5, -4, 8, 6), DemoPalette.PAPER)
			draw_line(Vector2(5, 3), Vector2(8, -4), Color("c9574c"), 1.5)
		"workbench":
			draw_rect(Rect2(-8, -3, 9, 3), Color("d9bd8c"))
			draw_line(Vector2(3, 3), Vector2(8, -3), Color("4d4d52"), 2.0)
			if state == "covered in shavings":
				for i: int in 6:
					draw_arc(Vector2(-8 + i * 3.2, 4 - (i % 3) * 3), 1.8, 0.0, PI * 1.4, 6, Color("eed9ab"), 1.2)
		"counter":
			draw_rect(Rect2(-8, -4, 5, 5), Color("4d4d52"))
			draw_circle(Vector2(3, -1), 2.5, DemoPalette.PAPER)


## Whether its state is written on it: from far away only what is wrong.
func is_told() -> bool:
	return is_wrong() or (is_busy() and kind != "bed")


## By how much words are larger than the thing, so that they stay readable.
func get_words_scale() -> float:
	return maxf(1.0, 1.0 / zoom)


## A few words on a label, when it is in another state than it rests in.
func _draw_state() -> void:
	if not is_told() or (zoom < FAR and not is_wrong()):
		return
	var font := ThemeDB.fallback_font
	draw_set_transform(Vector2(0, 20), 0.0, Vector2.ONE * get_words_scale())
	var wide := font.get_string_size(state, HORIZONTAL_ALIGNMENT_LEFT, -1, STATE_SIZE).x
	draw_rect(Rect2(-wide / 2.0 - 4, -9, wide + 8, 13), Color(Color("8f1d12") if is_wrong() else DemoPalette.INK, 0.78))
	draw_string(font, Vector2(-wide / 2.0, 1.5), state, HORIZONTAL_ALIGNMENT_LEFT, -1, STATE_SIZE, DemoPalette.ACCENT)
	draw_set_transform(Vector2.ZERO)
