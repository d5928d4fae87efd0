class_name RecipePerson
extends CharacterBody2D
## A person of the recipes: a figure with a name, and a bubble for what it says.

const INK := Color("2b221c")
const BUBBLE_S := 6.0
## Who touches somebody within so many pixels of the goal has arrived.
const BESIDE := 48.0

## The colour of the coat.
@export var coat: Color = Color("4f6d8f")
## The name under the figure.
@export var label: String = ""

var _said: String = ""
var _said_left_s: float = 0.0
var _doing: String = ""
var _bubble := Node2D.new()


func _ready() -> void:
	z_index = 1
	_bubble.z_index = 10
	_bubble.draw.connect(_draw_bubble)
	add_child(_bubble)
	var agent := get_agent()
	if agent != null:
		agent.spoke.connect(func(text: String, _to: PackedStringArray, _partial: bool) -> void: say(text))


func _process(delta: float) -> void:
	_said_left_s -= delta
	var agent := get_agent()
	_doing = agent.get_predicate() if agent != null and agent.action != null else ""
	queue_redraw()
	_bubble.queue_redraw()


## Returns the person's mind, or [code]null[/code] for the player.
func get_agent() -> NpcAgent:
	return get_node_or_null(^"NpcAgent") as NpcAgent


## Shows a line in a bubble for some seconds.
func say(text: String) -> void:
	_said = text
	_said_left_s = BUBBLE_S


## Walks a step of the way to a point, along the navigation. Returns [code]true[/code] there, or beside somebody who stands
## there already.
func walk_to(point: Vector2, speed: float) -> bool:
	var path := NavigationServer2D.map_get_path(get_world_2d().navigation_map, global_position, point, true)
	var last := path[-1] if not path.is_empty() else global_position
	var far := global_position.distance_to(last)
	if far < 6.0 or (far < BESIDE and get_slide_collision_count() > 0):
		velocity = Vector2.ZERO
		return true
	var next := path[1] if path.size() > 1 else last
	velocity = global_position.direction_to(next) * speed
	move_and_slide()
	return false


func _draw() -> void:
	draw_circle(Vector2(0, 8), 17.0, Color(0, 0, 0, 0.2))
	draw_circle(Vector2.ZERO, 17.0, coat)
	draw_circle(Vector2.ZERO, 17.0, coat.darkened(0.35), false, 2.5)
	draw_circle(Vector2(0, -9), 10.0, Color("f0c9a4"))
	var font := ThemeDB.fallback_font
	draw_string(font, Vector2(-100, 38), label, HORIZONTAL_ALIGNMENT_CENTER, 200, 17, INK)
	draw_string(font, Vector2(-120, 56), _doing, HORIZONTAL_ALIGNMENT_CENTER, 240, 13, Color(INK, 0.8))


## Draws what the person says, over everybody.
func _draw_bubble() -> void:
	if _said_left_s <= 0.0 or _said.is_empty():
		return
	var font := ThemeDB.fallback_font
	var size := font.get_multiline_string_size(_said, HORIZONTAL_ALIGNMENT_LEFT, 230, 14)
	var box := Rect2(Vector2(-size.x / 2.0 - 9.0, -36.0 - size.y), size + Vector2(18, 12))
	_bubble.draw_style_box(_make_bubble(), box)
	_bubble.draw_multiline_string(font, box.position + Vector2(9, 19), _said, HORIZONTAL_ALIGNMENT_LEFT, 230, 14, -1, INK)


static func _make_bubble() -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = Color.WHITE
	style.set_corner_radius_all(8)
	return style
