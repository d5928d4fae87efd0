class_name RecipePerson3D
extends CharacterBody3D
## A person of the 3D recipe: a capsule with a name, and what it does.

## The name over the figure.
@export var label: String = ""
## The colour of the coat.
@export var coat: Color = Color("4f6d8f")

@onready var _name: Label3D = $Name
@onready var _agent: NpcAgent = $NpcAgent


func _ready() -> void:
	var material := StandardMaterial3D.new()
	material.albedo_color = coat
	($Figure as MeshInstance3D).material_override = material


func _process(_delta: float) -> void:
	_name.text = "%s\n%s" % [label, _agent.get_predicate() if _agent.action != null else ""]
