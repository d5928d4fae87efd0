class_name DemoTown
extends Node2D
## The demo: builds a town from its file, puts its people in, and lets the minds live in it.

## Pixels a person walks in a second when a game minute passes in one; more where people are drawn larger.
const WALK_SPEED := 80.0
## Game seconds in a second at which they walk so fast; more when the clock is faster.
const NORMAL_SCALE := 60.0
const TOWNS := "res://demo/towns"
const CELL := DemoTownPlan.CELL
## Pixels that people keep from walls.
const BODY := 5.0

var plan: DemoTownPlan
var people: Array[DemoPerson] = []

var labels: DemoLabels

var _ground: Node2D
var _camera: DemoCamera
var _pace: float = WALK_SPEED
var _paced_for: float = -1.0


func _ready() -> void:
	_choose()
	plan = DemoTownPlan.load_file(NpcSettings.text(NpcSettings.TOWN).get_basename() + ".json")
	if plan == null:
		return
	NpcServer.pixels_per_metre = CELL / plan.cell_m
	NpcServer.time_scale = NpcSettings.number(NpcSettings.TIME_SCALE)
	RenderingServer.set_default_clear_color(DemoPalette.PANEL)
	_ground = Node2D.new()
	_ground.position = Vector2(16, 74)
	add_child(_ground)
	var drawing := DemoGround.new()
	drawing.plan = plan
	_ground.add_child(drawing)
	_camera = DemoCamera.new()
	add_child(_camera)
	_camera.fit(Rect2(_ground.position, plan.size * CELL))
	_pace = WALK_SPEED * _camera.get_figure_scale()
	_add_places()
	_add_navigation()
	for person: Dictionary in plan.people:
		_add_person(person)
	_ground.add_child(DemoDaylight.new())
	labels = DemoLabels.new()
	labels.town = self
	add_child(labels)
	_camera.zoomed.connect(_on_zoomed)
	_on_zoomed()
	var hud := DemoHud.new()
	hud.town = self
	add_child(hud)
	NpcServer.acknowledged.connect(_on_acknowledged)
	if not "--no-server" in OS.get_cmdline_user_args():
		NpcServer.start()


## What was given behind `--` as --name=value or --name value.
static func argument(called: String) -> String:
	var arguments := OS.get_cmdline_user_args()
	for i: int in arguments.size():
		if arguments[i].begins_with("--%s=" % called):
			return arguments[i].trim_prefix("--%s=" % called)
		if arguments[i] == "--" + called and i + 1 < arguments.size():
			return arguments[i + 1]
	return ""


## With `-- --town=alderwick` another town than that of the project settings, in a save of its own.
func _choose() -> void:
	var town := argument("town")
	if town.is_empty():
		return
	if not FileAccess.file_exists("%s/%s/town.json" % [TOWNS, town]):
		push_error("There is no town '%s'. Use one of: %s." % [town, ", ".join(DirAccess.get_directories_at(TOWNS))])
		return
	ProjectSettings.set_setting(NpcSettings.TOWN, "%s/%s/town.yaml" % [TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.PERSONAS, "%s/%s/personas" % [TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.SLOT, town)


## Who is seen at a place of the screen, or null.
func person_at(screen: Vector2) -> DemoPerson:
	var named := labels.person_at(screen)
	if named != null:
		return named
	var at := get_canvas_transform().affine_inverse() * screen
	return _nearest(people.filter(func(person: DemoPerson) -> bool: return person.has_point(at)), at)


## Who is nearest to the mouse.
func nearest_person() -> DemoPerson:
	return _nearest(people, get_global_mouse_position())


func _nearest(among: Array[DemoPerson], at: Vector2) -> DemoPerson:
	var found: DemoPerson = null
	for person: DemoPerson in among:
		if found == null or person.global_position.distance_to(at) < found.global_position.distance_to(at):
			found = person
	return found


## Lifts the town while somebody would be below a height of the screen; null lets it down again.
func keep_in_sight(person: DemoPerson, height: float) -> void:
	if person != null:
		_camera.keep_above(person.global_position + Vector2(0, CELL), height)
	else:
		_camera.let_down()


func _add_places() -> void:
	for place: Dictionary in plan.places:
		var rect: Rect2i = place["rect"]
		var node := NpcPlace.new()
		node.address = place["address"]
		node.display_name = place["name"]
		node.position = Vector2(rect.position * CELL)
		node.size = Vector2(rect.size * CELL)
		node.open = place["open"]
		node.capacity = place["capacity"]
		node.hours = place["hours"]
		node.owners = place["owners"]
		node.spots = plan.spots(rect)
		_ground.add_child(node)
	for object: Dictionary in plan.objects:
		var thing := DemoFurniture.new()
		var cell: Vector2i = object["cell"]
		thing.kind = object["kind"]
		thing.address = object["address"]
		thing.display_name = object["name"]
		thing.states = object["states"]
		thing.state = object["state"]
		thing.capacity = object["capacity"]
		thing.actions = object["actions"]
		thing.incidents = DemoIncidents.new(object["address"], object["incidents"], NpcSettings.whole(NpcSettings.SEED))
		thing.position = DemoTownPlan.middle(cell)
		thing.upside_down = object.has("foot") and (object["foot"] as Vector2i).y < cell.y
		thing.stand = Vector2((object["stand"] as Vector2i) - cell) * CELL
		_ground.add_child(thing)


## Everything is ground to walk on but walls and things, with room for a body around them.
func _add_navigation() -> void:
	var shape := NavigationPolygon.new()
	shape.agent_radius = BODY
	var source := NavigationMeshSourceGeometryData2D.new()
	source.add_traversable_outline(_outline(Rect2i(Vector2i.ZERO, plan.size)))
	for y: int in plan.size.y:
		var x := 0
		while x < plan.size.x:
			var end := x
			while end < plan.size.x and not plan.is_free(Vector2i(end, y)):
				end += 1
			if end > x:
				source.add_obstruction_outline(_outline(Rect2i(x, y, end - x, 1)))
			x = end + 1
	NavigationServer2D.bake_from_source_geometry_data(shape, source)
	var region := NavigationRegion2D.new()
	region.navigation_polygon = shape
	_ground.add_child(region)


func _outline(cells: Rect2i) -> PackedVector2Array:
	var area := DemoTownPlan.to_pixels(cells)
	return PackedVector2Array([area.position, Vector2(area.end.x, area.position.y), area.end, Vector2(area.position.x, area.end.y)])


func _add_person(person: Dictionary) -> void:
	var agent := NpcAgent.new()
	agent.persona_id = person["id"]
	agent.display_name = person["name"]
	var body := DemoPerson.new()
	body.setup(agent, DemoPalette.look_of(people.size()))
	var home := NpcObject.by_address(get_tree(), str(person["home"]))
	_ground.add_child(body)
	if home != null:
		body.global_position = home.get_spot()
	people.append(body)


## With `-- --quit-after-stored=N` the game ends once so many events are stored, and `--picture=FILE` keeps what was seen last:
## for trying a clone or an export.
func _on_acknowledged(seq: int) -> void:
	var wanted := argument("quit-after-stored")
	if wanted.is_empty() or seq < int(wanted):
		return
	NpcServer.acknowledged.disconnect(_on_acknowledged)
	if not argument("picture").is_empty():
		await RenderingServer.frame_post_draw
		get_viewport().get_texture().get_image().save_png(argument("picture"))
	get_tree().quit()


## Where the town's upper left corner lies in the world.
func get_ground_offset() -> Vector2:
	return _ground.position


func _on_zoomed() -> void:
	for person: DemoPerson in people:
		person.scale = Vector2.ONE * _camera.get_figure_scale()
	DemoFurniture.zoom = _camera.zoom.x
	for thing: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		if (thing as DemoFurniture).is_told():
			(thing as DemoFurniture).queue_redraw()


## People walk faster with the buttons, so that they are in time at each speed. While the player talks only the clock is slow.
func _process(_delta: float) -> void:
	if NpcServer.time_scale == _paced_for:
		return
	_paced_for = NpcServer.time_scale
	for person: DemoPerson in people:
		person.get_agent().walk_speed = _pace * maxf(_paced_for / NORMAL_SCALE, 1.0)
