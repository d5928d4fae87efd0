extends NpcTestCase
## The graph of relationships with the people of Alderwick, in panels of several sizes.

const Graph := preload("res://addons/npc/panel/graph.gd")
const Look := preload("res://addons/npc/panel/look.gd")
const TOWN := "res://demo/towns/alderwick/town.json"
## Of the panel in a window of 1280 x 720, of a smaller one, and the least.
const SIZES: Array[Vector2] = [Vector2(916, 436), Vector2(760, 420), Vector2(280, 220)]


func run() -> void:
	var names: Dictionary[String, String] = {}
	var town: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(TOWN))
	for person: Dictionary in town["people"]:
		names[str(person["id"])] = str(person["name"])
	var graph := Graph.new()
	graph.theme = Look.make_theme()
	add_child(graph)
	graph.chosen = names.keys()[0]
	var named: Array = []
	for size: Vector2 in SIZES:
		for is_round: bool in [true, false] as Array[bool]:
			graph.is_round = is_round
			graph.size = size
			graph.show_ties(names, _make_ties(names.keys()))
			named.append(graph.get_name_boxes().size())
			_check_apart(graph, "%s %s" % [size, is_round])
			for who: String in names:
				graph.pick(who)
				check(graph.get_name_boxes().has(who), "%s is picked, and has no name in %s." % [who, size])
			graph.picked = ""
	result = {"people": names.size(), "named": named}


## The closer two are, the nearer they are drawn. Here it is by turns.
func _make_ties(people: Array[String]) -> Dictionary[String, Dictionary]:
	var ties: Dictionary[String, Dictionary] = {}
	for i: int in people.size():
		ties["%s>%s" % [people[0], people[i]]] = {"closeness": i % 11}
	return ties


func _check_apart(graph: Graph, where: String) -> void:
	var boxes := graph.get_name_boxes()
	for who: String in boxes:
		check(Rect2(Vector2.ZERO, graph.size).encloses(boxes[who]), "%s is cut off in %s." % [who, where])
		for other: String in boxes:
			check(who == other or not boxes[who].intersects(boxes[other]), "%s covers %s in %s." % [who, other, where])
