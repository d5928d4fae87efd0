extends Node
## Piet's mind decides what he does, and a tree of LimboAI moves him. Its scripts load only where LimboAI is installed.

@onready var _piet: RecipePerson = $Inn/Piet


func _ready() -> void:
	if not has_limboai():
		($TalkBox as RecipeTalkBox).note("Install LimboAI to see this recipe: see docs/recipes.md.")
		return
	_piet.get_agent().carries_out = false
	(load("res://recipes/limboai/tree.gd") as GDScript).call("add_to", _piet)


## Returns [code]true[/code] if the project has LimboAI's classes.
static func has_limboai() -> bool:
	var named := func(of: Dictionary) -> bool: return of["class"] == &"BTPlayer"
	return ClassDB.class_exists(&"BTPlayer") or ProjectSettings.get_global_class_list().any(named)
