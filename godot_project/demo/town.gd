class_name DemoTown
extends Node2D
## The demo. Plays the town of the scene under it, or of the scene that belongs to the chosen town file.

## Walking speed in pixels per second at the speed [code]1×[/code]. It grows with the size of the figures.
const WALK_SPEED := 80.0
## The same while a player walks about: the town is not shrunk then, and its people must not be late for everything.
const PLAYED_WALK_SPEED := 170.0
## The speed of the clock at [code]1×[/code], in game seconds per second. People walk faster at higher speeds.
const NORMAL_SCALE := 60.0
const TOWNS := "res://demo/towns"
const CELL := DemoTownPlan.CELL
## How far people keep from walls, in pixels.
const BODY := 5.0

## If [code]true[/code], a player walks about in the town (see [DemoGame]), who has a camera and panels of their own.
var is_played: bool = false
var plan: DemoTownPlan
var people: Array[DemoPerson] = []

var labels: DemoLabels

var _ground: DemoTownMap
var _camera: DemoCamera
var _pace: float = WALK_SPEED
var _paced_for: float = -1.0


# Not _ready(): by then the nodes of a town that is not the chosen one would have been in the tree.
func _enter_tree() -> void:
	DemoSettings.apply()
	_choose()
	var wanted := NpcSettings.get_text(NpcSettings.TOWN).get_basename() + ".json"
	for child: Node in get_children():
		if child is DemoTownMap and (child as DemoTownMap).file == wanted:
			_ground = child as DemoTownMap
		elif child is DemoTownMap:
			child.free()
	if _ground == null:
		var scene := load(wanted.get_base_dir() + ".tscn") as PackedScene
		_ground = scene.instantiate() as DemoTownMap if scene != null else null
	if _ground == null:
		return
	_ground.position = DemoCamera.WINDOW.position
	if _ground.get_parent() == null:
		add_child(_ground)


func _ready() -> void:
	add_child(DemoSounds.new())
	add_child(DemoPause.new())
	plan = _ground.plan if _ground != null else null
	if plan == null:
		return
	NpcServer.pixels_per_metre = CELL / plan.cell_m
	NpcServer.time_scale = NpcSettings.get_float(NpcSettings.TIME_SCALE)
	RenderingServer.set_default_clear_color(DemoPalette.PANEL)
	if not is_played:
		_camera = DemoCamera.new()
		add_child(_camera)
		_camera.fit(Rect2(_ground.position, plan.size * CELL))
		_camera.zoomed.connect(_on_zoomed)
		_pace = WALK_SPEED * _camera.get_figure_scale()
	else:
		_pace = PLAYED_WALK_SPEED
	_add_navigation()
	people.assign(_ground.find_children("*", "DemoPerson", true, false).filter(func(it: DemoPerson) -> bool: return it.get_agent() != null))
	_ground.add_child(DemoDaylight.new())
	labels = DemoLabels.new()
	labels.town = self
	add_child(labels)
	if is_played:
		return
	_on_zoomed()
	var hud := DemoHud.new()
	hud.town = self
	add_child(hud)
	NpcServer.acknowledged.connect(_on_acknowledged)
	if not "--no-server" in OS.get_cmdline_user_args():
		NpcServer.start()


## People walk faster when the player speeds the clock up, so that they arrive in time. They do not slow down during a
## conversation.
func _process(_delta: float) -> void:
	if NpcServer.time_scale == _paced_for:
		return
	_paced_for = NpcServer.time_scale
	for person: DemoPerson in people:
		person.get_agent().walk_speed = _pace * maxf(_paced_for / NORMAL_SCALE, 1.0)


## Returns a command line argument: [code]-- --name=value[/code] or [code]-- --name value[/code].
static func argument(called: String) -> String:
	var arguments := OS.get_cmdline_user_args()
	for i: int in arguments.size():
		if arguments[i].begins_with("--%s=" % called):
			return arguments[i].trim_prefix("--%s=" % called)
		if arguments[i] == "--" + called and i + 1 < arguments.size():
			return arguments[i + 1]
	return ""


## Returns [code]true[/code] if an argument is on the command line, with a value or without.
static func has_argument(called: String) -> bool:
	for given: String in OS.get_cmdline_user_args():
		if given == "--" + called or given.begins_with("--%s=" % called):
			return true
	return false


## Returns who is at a position of the screen, or [code]null[/code].
func get_person_at(screen: Vector2) -> DemoPerson:
	var named := labels.get_person_at(screen)
	if named != null:
		return named
	var at := get_canvas_transform().affine_inverse() * screen
	return _nearest(people.filter(func(person: DemoPerson) -> bool: return person.has_point(at)), at)


## Returns a person by id, or [code]null[/code].
func get_person(npc_id: String) -> DemoPerson:
	for person: DemoPerson in people:
		if person.get_agent().persona_id == npc_id:
			return person
	return null


## Returns the first name of a person, or the id of somebody who is not here.
func get_name_of(npc_id: String) -> String:
	var person := get_person(npc_id)
	return person.get_first_name() if person != null else npc_id


## Returns the person nearest to the mouse.
func get_nearest_person() -> DemoPerson:
	return _nearest(people, get_global_mouse_position())


## Moves the town up so that a person stays above a height of the screen; [code]null[/code] moves it back.
func keep_in_sight(person: DemoPerson, height: float) -> void:
	if is_played:
		return  # the camera follows the player
	if person != null:
		_camera.keep_above(person.global_position + Vector2(0, CELL), height)
	else:
		_camera.let_down()


## Returns the global position of the town's upper left corner.
func get_ground_offset() -> Vector2:
	return _ground.position


## Returns what lies under everybody who walks.
func get_ground() -> Node2D:
	return _ground


## With [code]-- --town=alderwick[/code], plays another town in a save of its own.
func _choose() -> void:
	var town := argument("town")
	if town.is_empty() or DemoStart.is_chosen:
		return
	if not FileAccess.file_exists("%s/%s/town.json" % [TOWNS, town]):
		push_error("There is no town '%s'. Use one of: %s." % [town, ", ".join(DirAccess.get_directories_at(TOWNS))])
		return
	ProjectSettings.set_setting(NpcSettings.TOWN, "%s/%s/town.yaml" % [TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.PERSONAS, "%s/%s/personas" % [TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.SLOT, town)


func _nearest(among: Array[DemoPerson], at: Vector2) -> DemoPerson:
	var found: DemoPerson = null
	for person: DemoPerson in among:
		if found == null or person.global_position.distance_to(at) < found.global_position.distance_to(at):
			found = person
	return found


## Everything is walkable except walls and objects, with room for a body around them.
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
	_ground.ways.navigation_polygon = shape


func _outline(cells: Rect2i) -> PackedVector2Array:
	var area := DemoTownPlan.to_pixels(cells)
	return PackedVector2Array([area.position, Vector2(area.end.x, area.position.y), area.end, Vector2(area.position.x, area.end.y)])


## With [code]-- --quit-after-stored=N[/code] the game ends when N events are stored. [code]--picture=FILE[/code] saves
## a last screenshot. For trying out a clone or an export.
func _on_acknowledged(seq: int) -> void:
	var wanted := argument("quit-after-stored")
	if wanted.is_empty() or seq < int(wanted):
		return
	NpcServer.acknowledged.disconnect(_on_acknowledged)
	if not argument("picture").is_empty():
		await RenderingServer.frame_post_draw
		get_viewport().get_texture().get_image().save_png(argument("picture"))
	get_tree().quit()


func _on_zoomed() -> void:
	for person: DemoPerson in people:
		person.scale = Vector2.ONE * _camera.get_figure_scale()
	DemoFurniture.zoom = _camera.zoom.x
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		var object := node as DemoFurniture
		if object.shows_state():
			object.queue_redraw()
