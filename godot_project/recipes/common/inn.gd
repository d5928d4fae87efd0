class_name RecipeInn
extends Node2D
## The small inn in which the recipes play. It draws the floor and what stands on it, and opens a save of its own.
##
## In your game, the project settings name the town and the personas. The recipes share a project with the demo, and so set
## them here.

const PEOPLE := "res://recipes/common/people/"
const FLOORS: Dictionary[Rect2, Color] = {
	Rect2(80, 150, 640, 470): Color("c39b69"),
	Rect2(720, 150, 480, 470): Color("93b46b"),
}
const WALL := Color("5b4638")
const DOOR := Rect2(708, 345, 24, 90)
const THINGS: Dictionary[String, Rect2] = {
	"the counter": Rect2(110, 200, 200, 56),
	"the table": Rect2(400, 470, 150, 80),
	"the well": Rect2(960, 220, 84, 84),
	"the woodpile": Rect2(1010, 510, 130, 60),
}
const THING := Color("8a623f")
const INK := Color("2b221c")

## The slot of the save, which is the recipe's own.
@export var slot: String = "recipe"
## The title at the top of the screen.
@export var title: String = ""


func _ready() -> void:
	play(slot)
	NpcServer.failed.connect(_on_failed)


## Opens a save of the inn. Each recipe calls this once.
static func play(in_slot: String) -> void:
	ProjectSettings.set_setting(NpcSettings.TOWN, PEOPLE + "town.yaml")
	ProjectSettings.set_setting(NpcSettings.PERSONAS, PEOPLE + "personas")
	ProjectSettings.set_setting(NpcSettings.GAME, "recipes")
	NpcServer.start("", "", in_slot)


func _draw() -> void:
	draw_rect(Rect2(-2000, -2000, 6000, 6000), Color("6f8f52"))
	for floor_rect: Rect2 in FLOORS:
		draw_rect(floor_rect, FLOORS[floor_rect])
	for y: float in range(150, 620, 47):
		draw_line(Vector2(80, y), Vector2(720, y), Color(0, 0, 0, 0.08), 2.0)
	draw_rect(Rect2(80, 150, 1120, 470), WALL, false, 14.0)
	draw_line(Vector2(720, 150), Vector2(720, 620), WALL, 14.0)
	draw_rect(DOOR, FLOORS.values()[0] as Color)
	for thing: String in THINGS:
		_draw_thing(thing, THINGS[thing])
	draw_string(ThemeDB.fallback_font, Vector2(80, 122), title, HORIZONTAL_ALIGNMENT_LEFT, -1, 28, Color.WHITE)
	draw_string(ThemeDB.fallback_font, Vector2(94, 606), "the taproom", HORIZONTAL_ALIGNMENT_LEFT, -1, 16, Color(INK, 0.55))
	draw_string(ThemeDB.fallback_font, Vector2(740, 606), "the yard", HORIZONTAL_ALIGNMENT_LEFT, -1, 16, Color(INK, 0.55))


func _draw_thing(thing: String, at: Rect2) -> void:
	if thing == "the well":
		draw_circle(at.get_center() + Vector2(0, 6), at.size.x / 2.0, Color(0, 0, 0, 0.2))
		draw_circle(at.get_center(), at.size.x / 2.0, Color("9a9286"))
		draw_circle(at.get_center(), at.size.x / 2.0 - 12.0, Color("4a7c8f"))
	else:
		draw_rect(Rect2(at.position + Vector2(0, 6), at.size), Color(0, 0, 0, 0.2))
		draw_rect(at, THING)
		draw_rect(at, THING.darkened(0.4), false, 3.0)
	var below := Vector2(at.position.x - 40.0, at.position.y - 8.0)
	draw_string(ThemeDB.fallback_font, below, thing, HORIZONTAL_ALIGNMENT_CENTER, at.size.x + 80.0, 15, INK)


func _on_failed(error: NpcError) -> void:
	push_warning(error.message)
