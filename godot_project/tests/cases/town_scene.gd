extends NpcTestCase
## Compares the scene of one of the demo's towns with what the dock Minds makes of the town file: town=ID, and index=FILE with the
## answer of [code]npc-server editor index[/code]. scene=FILE compares another scene. With out=FILE, makes the scene anew (see
## scripts/make_town_scenes.py).

const Known := preload("res://addons/npc/editor/known.gd")
const NodeMaker := preload("res://addons/npc/editor/node_maker.gd")
const SceneNodes := preload("res://addons/npc/editor/scene_nodes.gd")
const Furniture := preload("res://demo/furniture.gd")
## What looks unlike others of its kind.
const LOOKS: Dictionary[String, String] = {
	"alderwick:bakery:bakery_shop:shelves": "bread shelves",
	"alderwick:farmhouse:dairy:shelves": "cheese shelves",
	"alderwick:town_hall:clerks_office:shelves": "file shelves",
	"alderwick:square:market:fish_stall": "fish stall",
	"alderwick:square:market:farm_stall": "farm stall",
}
const OF_PLACES: Array[String] = ["display_name", "position", "size", "open", "capacity", "hours", "owners"]
const OF_OBJECTS: Array[String] = ["display_name", "position", "states", "state", "capacity", "actions"]

var _known := Known.new()
var _file: String
var _plan: DemoTownPlan


func run() -> void:
	_known._read(NpcFiles.read_json(argument("index")))
	_file = "%s/%s/town.json" % [DemoTown.TOWNS, argument("town")]
	_plan = DemoTownPlan.load_file(_file)
	var made := _make()
	if not argument("out").is_empty():
		_dress(made)
		check(_save(made, argument("out")) == OK, "The scene was not written to %s." % argument("out"))
	else:
		var usual := "%s/%s.tscn" % [DemoTown.TOWNS, argument("town")]
		var scene := (load(argument("scene", usual)) as PackedScene).instantiate()
		_compare(made, scene)
		result["nodes"] = SceneNodes.read(scene).to_cells(_known, DemoTownPlan.CELL, false)
		_tell_of_demo(scene)
		scene.free()
	made.free()


## Makes the nodes as the dock does, with a cell of 23 pixels.
func _make() -> DemoTownMap:
	var root := DemoTownMap.new()
	root.name = argument("town").to_pascal_case()
	root.file = _file
	var maker: NodeMaker = NodeMaker.make(_known, SceneNodes.read(root), _known.nodes.keys(), root, DemoTownPlan.CELL, false)
	for node: Node in maker.tops:
		maker.tops[node].add_child(node, true)
	return root


## Does what the author of the demo did after that: the objects get the script that draws them, and people move in.
func _dress(root: DemoTownMap) -> void:
	var objects: Dictionary[String, Node] = SceneNodes.read(root).by_address
	for object: DemoTownPlan.TownObject in _plan.objects:
		var node: NpcObject = objects[object.address]
		var before: Dictionary[String, Variant] = {"address": node.address}
		for key: String in OF_OBJECTS:
			before[key] = node.get(key)
		node.set_script(Furniture)
		for key: String in before:
			node.set(key, before[key])
		(node as Node as DemoFurniture).kind = object.kind
		(node as Node as DemoFurniture).look = LOOKS.get(object.address, "")
		node.stand = Vector2(object.stand - object.cell) * DemoTownPlan.CELL
	var people := Node2D.new()
	people.name = "People"
	root.add_child(people)
	for i: int in _plan.people.size():
		_move_in(people, i, objects[_plan.people[i].home] as NpcObject)


func _move_in(people: Node2D, number: int, home: NpcObject) -> void:
	var person := DemoPerson.new()
	person.name = _plan.people[number].name
	person.colours = DemoPalette.get_look(number)
	person.position = home.get_spot()
	people.add_child(person)
	var agent := NpcAgent.new()
	agent.name = "NpcAgent"
	agent.persona_id = _plan.people[number].id
	agent.display_name = _plan.people[number].name
	person.add_child(agent)


func _save(root: Node, path: String) -> Error:
	for node: Node in root.find_children("*", "", true, false):
		node.owner = root
	var scene := PackedScene.new()
	scene.pack(root)
	return ResourceSaver.save(scene, path)


func _compare(made: Node, scene: Node) -> void:
	var wanted: Dictionary[String, Node] = SceneNodes.read(made).by_address
	var found: Dictionary[String, Node] = SceneNodes.read(scene).by_address
	check(found.keys() == wanted.keys(), "The scene has other addresses, or in another order: %s" % _list_odd(wanted, found))
	for address: String in wanted:
		for key: String in OF_OBJECTS if wanted[address] is NpcObject else OF_PLACES:
			var here: Variant = found[address].get(key) if found.has(address) else null
			check(here == wanted[address].get(key), "%s: %s is %s, not %s" % [address, key, here, wanted[address].get(key)])


static func _list_odd(one: Dictionary[String, Node], other: Dictionary[String, Node]) -> PackedStringArray:
	var odd := PackedStringArray()
	for address: String in one.keys() + other.keys():
		if not (one.has(address) and other.has(address)):
			odd.append(address)
	return odd


## Tells what the demo added to the nodes.
func _tell_of_demo(scene: Node) -> void:
	var kinds: Dictionary[String, String] = {}
	for node: Node in scene.find_children("*", "DemoFurniture"):
		kinds[(node as DemoFurniture).address] = (node as DemoFurniture).kind
	var people: Array[String] = []
	for node: Node in scene.find_children("*", "NpcAgent"):
		people.append((node as NpcAgent).persona_id)
	result.merge({"kinds": kinds, "people": people})
