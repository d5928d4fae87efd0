@tool
extends EditorInspectorPlugin
## Lets one choose personas and addresses from lists in the inspector.

const ChoiceProperty := preload("res://addons/npc/editor/choice_property.gd")
const Known := preload("res://addons/npc/editor/known.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")

var _known: Known


func _init(known: Known) -> void:
	_known = known


func _can_handle(object: Object) -> bool:
	return object is NpcAgent or (object is Node and SceneNodes.is_kept(object as Node))


func _parse_property(
	object: Object, _type: Variant.Type, name: String, _hint: PropertyHint, _hint_text: String, _usage: int, _wide: bool
) -> bool:
	if name != ("persona_id" if object is NpcAgent else "address"):
		return false
	add_property_editor(name, ChoiceProperty.new(_known))
	return true
