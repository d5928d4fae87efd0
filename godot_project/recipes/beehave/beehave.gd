extends Node
## Piet's mind decides what he does, and a tree of Beehave moves him. The tree is in a scene of its own, which loads only
## where Beehave is installed.

const BEEHAVE := "res://addons/beehave/nodes/beehave_tree.gd"

@onready var _piet: RecipePerson = $Inn/Piet


func _ready() -> void:
	if not ResourceLoader.exists(BEEHAVE):
		($TalkBox as RecipeTalkBox).note("Install the addon Beehave and enable it to see this recipe: see docs/recipes.md.")
		return
	_piet.get_agent().carries_out = false
	_piet.add_child((load("res://recipes/beehave/tree.tscn") as PackedScene).instantiate())
