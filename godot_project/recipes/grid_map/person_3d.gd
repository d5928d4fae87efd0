class_name RecipePerson3D
extends CharacterBody3D
## A person of the grid map's inn: a capsule with a head, a name, what it does, and a line for what it says.

const SAID_S := 6.0
const WIDE := 500.0

## The colour of the coat.
@export var coat: Color = Color("4f6d8f")
## The name over the head.
@export var label: String = ""

var _doing: Label3D
var _said: Label3D
var _said_left_s: float = 0.0


func _ready() -> void:
	_add_shape(_make_coat(), coat, 0.75)
	_add_shape(_make_head(), Color("f0c9a4"), 1.55)
	add_child(make_words(label, 2.25, 44))
	_doing = make_words("", 1.95, 30)
	_said = make_words("", 2.9, 36)
	_said.modulate = Color("fff2c0")
	add_child(_doing)
	add_child(_said)
	get_agent().spoke.connect(_on_spoke)


func _process(delta: float) -> void:
	_said_left_s -= delta
	_doing.text = get_agent().get_predicate() if get_agent().action != null else ""
	_said.visible = _said_left_s > 0.0


## Returns the person's mind.
func get_agent() -> NpcAgent:
	return $NpcAgent as NpcAgent


## Makes words that always face the camera.
static func make_words(text: String, height: float, pixels: int) -> Label3D:
	var words := Label3D.new()
	words.text = text
	words.position.y = height
	words.font_size = pixels
	words.outline_size = 10
	words.billboard = BaseMaterial3D.BILLBOARD_ENABLED
	words.no_depth_test = true
	words.width = WIDE
	words.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	return words


func _on_spoke(text: String, _to: PackedStringArray, _partial: bool) -> void:
	_said.text = text
	_said_left_s = SAID_S


func _add_shape(mesh: PrimitiveMesh, colour: Color, height: float) -> void:
	var paint := StandardMaterial3D.new()
	paint.albedo_color = colour
	mesh.material = paint
	var seen := MeshInstance3D.new()
	seen.mesh = mesh
	seen.position.y = height
	add_child(seen)


static func _make_coat() -> CapsuleMesh:
	var mesh := CapsuleMesh.new()
	mesh.radius = 0.3
	mesh.height = 1.5
	return mesh


static func _make_head() -> SphereMesh:
	var mesh := SphereMesh.new()
	mesh.radius = 0.22
	mesh.height = 0.44
	return mesh
