@icon("res://addons/npc/icons/agent.svg")
class_name NpcAgent
extends Node
## Gives a body a mind: put it under a Node2D or CharacterBody2D and name the persona.
##
## It tells the mind what is near, walks to where its actions take place along Godot's navigation, sets the states of the
## objects it uses, and says in signals what it does.

## The mind decided on something else to do; the body sets out.
signal action_started(action: NpcAction)
## The body stands where the action takes place.
signal arrived(action: NpcAction)
## The action's time is over, or another one took its place.
signal action_finished(action: NpcAction)
## The action cannot be done; the mind is told and decides again.
signal action_failed(action: NpcAction, reason: String)
## It says something aloud; while [param partial], the words so far.
signal spoke(text: String, to: PackedStringArray, partial: bool)
## It thinks something, for bubbles and debugging.
signal thinking_changed(text: String)

enum Doing { NOTHING, WALKING, ACTING }

## Group of all agents.
const GROUP := &"npc_agents"
## Group for the bodies that players steer (Node2D): they are seen as people under their node's name, and minds near them
## get the model first.
const PLAYER_GROUP := &"npc_players"
## Metres by which the nearest player's distance has to change before the mind is told.
const PLAYER_STEP_M := 4.0
## Wall seconds to wait for the navigation map before everything counts as out of reach.
const MAP_PATIENCE_S := 3.0

## Id of the persona: the `id` in its file.
@export var persona_id: String = ""
## For people; the id is used while it is empty.
@export var display_name: String = ""
## Metres it walks in a second of game time.
@export var walk_speed_m: float = 1.4
## Metres at which it notices things.
@export var vision_radius_m: float = 8.0
## Wall seconds between two looks around.
@export var look_interval_s: float = 0.5
## How near to its goal the way has to end, in pixels.
@export var reach_tolerance: float = 12.0

## What it does now; null before the first action.
var action: NpcAction = null
## How far it is with that.
var doing: Doing = Doing.NOTHING

var _server: NpcServerNode = null
var _body: Node2D = null
var _path := PackedVector2Array()
var _at: int = 0
var _object: NpcObject = null
var _changes_object: bool = false
var _state_before: String = ""
var _noticed: Dictionary = {}
var _place_address: String = ""
var _player_steps: int = -1
var _look_in_s: float = 0.0
var _action_waits: bool = false
var _waited_s: float = 0.0
var _warned: bool = false
var _questions: Array[Dictionary] = []
var _heading := Vector2.DOWN


func _ready() -> void:
	add_to_group(GROUP)
	_body = get_parent() as Node2D
	if _body == null:
		push_error("NpcAgent '%s' needs a Node2D above it, the body that walks. Put it under one." % persona_id)
		set_physics_process(false)
		return
	if display_name.is_empty():
		display_name = persona_id
	_server = NpcSetup.server_of(self)
	if _server == null:
		set_physics_process(false)
		return
	_look_in_s = randf() * look_interval_s
	_server.connected.connect(_on_connected)
	_server.loaded.connect(_on_loaded)
	_server.action_received.connect(_on_action_received)
	_server.path_queried.connect(_on_path_queried)
	_server.speech_received.connect(_on_speech_received)
	_server.thought_received.connect(_on_thought_received)


## Where the body is, in the town's coordinates.
func get_body_position() -> Vector2:
	return _body.global_position if _body != null else Vector2.ZERO


## Where the body looks, as a unit vector.
func get_heading() -> Vector2:
	return _heading


## What others see it do: "is kneading dough".
func get_predicate() -> String:
	if action == null:
		return "is standing there"
	return "is on the way" if doing == Doing.WALKING else action.predicate()


## The thing it is using now, or null.
func get_object_in_use() -> NpcObject:
	return _object if doing == Doing.ACTING else null


## All agents in the tree.
static func all(tree: SceneTree) -> Array[NpcAgent]:
	var found: Array[NpcAgent] = []
	for node: Node in tree.get_nodes_in_group(GROUP):
		if node is NpcAgent:
			found.append(node)
	return found


func _physics_process(delta: float) -> void:
	if _action_waits or not _questions.is_empty():
		_think_of_ways(delta)
	if doing == Doing.WALKING:
		_walk(delta)
	elif doing == Doing.ACTING and _server.game_time_s >= action.end_s:
		_finish()
	_look_in_s -= delta
	if _look_in_s <= 0.0 and _server.is_playing():
		_look_in_s = look_interval_s
		if doing == Doing.ACTING:
			_leave_closed_place()
		_look_around()


# ---- actions


func _on_action_received(npc_id: String, next: NpcAction) -> void:
	if npc_id != persona_id:
		return
	if action != null and action.action_id == next.action_id:
		return  # told again after a lost connection: the body is at it
	_finish()
	action = next
	_action_waits = true
	action_started.emit(action)


func _set_out() -> void:
	_object = NpcObject.by_address(get_tree(), action.address)
	var goal: Variant = _goal_of(action.address)
	if goal == null:
		_fail("there is no such place here")
		return
	_path = _way_to(goal)
	if _path.is_empty():
		_fail("there is no way to get there")
		return
	var arrival_s := _server.game_time_s + _travel_s(_path)
	var reason := NpcRules.why_barred(get_tree(), persona_id, action.address, arrival_s)
	if not reason.is_empty():
		_fail(reason)
		return
	_at = 0
	doing = Doing.WALKING


func _walk(delta: float) -> void:
	var left := walk_speed_m * _server.pixels_per_metre * _server.time_scale * delta
	var here := _body.global_position
	while _at < _path.size() and left > 0.0:
		var next := _path[_at]
		var far := here.distance_to(next)
		if far > 0.5:
			_heading = (next - here) / far
		if far <= left:
			here = next
			left -= far
			_at += 1
		else:
			here = here.move_toward(next, left)
			left = 0.0
	var reason := _why_not_enter(here)
	if not reason.is_empty():
		_fail(reason)
		return
	if _body is CharacterBody2D:
		var character := _body as CharacterBody2D
		character.velocity = (here - _body.global_position) / delta
		character.move_and_slide()
	else:
		_body.global_position = here
	if _at >= _path.size():
		_arrive()


## Why the body cannot step into the place it goes to; empty when it can, or when it only passes through another.
func _why_not_enter(next: Vector2) -> String:
	var place := NpcPlace.at(get_tree(), next)
	var here := _body.global_position
	if place == null or place.get_rect().has_point(here) or not (action.address + ":").begins_with(place.address + ":"):
		return ""
	var reason := NpcRules.why_barred(get_tree(), persona_id, place.address, _server.game_time_s, here)
	return reason if not reason.is_empty() else NpcRules.why_full(self, place.address)


func _arrive() -> void:
	var reason := NpcRules.why_full(self, action.address)
	if reason.is_empty() and _object != null:
		reason = _object.why_not(action.object_action)
	if not reason.is_empty():
		_fail(reason)
		return
	doing = Doing.ACTING
	_changes_object = false
	if _object != null:
		_heading = _body.global_position.direction_to(_object.global_position)
		_state_before = _object.state
		var during := action.object_state
		if during.is_empty():
			during = _object.get_state_of(action.object_action, "during")
		if not during.is_empty():
			_changes_object = _object.apply_state(during, persona_id)
	_server.report_outcome(persona_id, action.action_id, "arrived", action.address)
	arrived.emit(action)


## At closing time everybody is sent out, whatever they had in mind.
func _leave_closed_place() -> void:
	for place: NpcPlace in NpcRules.places_of(get_tree(), action.address):
		if not place.is_open_at(_server.game_time_s) and not NpcRules.holds_key(get_tree(), persona_id, place):
			_leave_object()
			_fail(NpcRules.why_barred(get_tree(), persona_id, place.address, _server.game_time_s))
			return


func _finish() -> void:
	var was := doing
	if was == Doing.ACTING:
		_leave_object()
	doing = Doing.NOTHING
	_action_waits = false
	if action != null and was != Doing.NOTHING:
		action_finished.emit(action)


## The thing gets the state that the action leaves. One that is broken off leaves only what it had begun to change.
func _leave_object() -> void:
	var object := _object
	doing = Doing.NOTHING
	if object == null:
		return
	var after := action.object_state_after
	if after.is_empty():
		after = object.get_state_of(action.object_action, "after")
	if _changes_object:
		after = after if not after.is_empty() else _state_before
	elif _server.game_time_s < action.end_s:
		after = ""
	for other: NpcAgent in all(get_tree()):
		if other != self and other._changes_object and other.get_object_in_use() == object:
			return  # a table stays laid while somebody else still eats at it
	if not after.is_empty():
		object.apply_state(after, persona_id)
	object.used.emit(persona_id, action.object_action)


func _fail(reason: String) -> void:
	doing = Doing.NOTHING
	_server.report_outcome(persona_id, action.action_id, "failed", _place_address, reason)
	action_failed.emit(action, reason)


# ---- ways


func _can_navigate() -> bool:
	# A map answers only some frames after its regions were added; a point of nobody means that it is still empty.
	var map := _body.get_world_2d().navigation_map
	if NavigationServer2D.map_get_iteration_id(map) == 0:
		return false
	return NavigationServer2D.map_get_closest_point_owner(map, _body.global_position).is_valid()


func _think_of_ways(delta: float) -> void:
	if not _can_navigate():
		_waited_s += delta
		if _waited_s < MAP_PATIENCE_S:
			return
		if not _warned:
			_warned = true
			push_warning("NpcAgent '%s' finds no navigation map here. Add a NavigationRegion2D with a baked polygon." % persona_id)
	_waited_s = 0.0
	for question: Dictionary in _questions:
		_answer(str(question["id"]), question["addresses"])
	_questions.clear()
	if _action_waits:
		_action_waits = false
		_set_out()


func _goal_of(address: String) -> Variant:
	var object := NpcObject.by_address(get_tree(), address)
	if object != null:
		return object.get_spot()
	var place := NpcPlace.by_address(get_tree(), address)
	return place.get_spot(hash(persona_id)) if place != null else null


## The way to a point, or nothing when it does not lead there.
func _way_to(goal: Vector2) -> PackedVector2Array:
	var map := _body.get_world_2d().navigation_map
	var path := NavigationServer2D.map_get_path(map, _body.global_position, goal, true)
	if path.is_empty() or path[path.size() - 1].distance_to(goal) > reach_tolerance:
		return PackedVector2Array()
	return path


func _on_path_queried(npc_id: String, query_id: String, addresses: PackedStringArray) -> void:
	if npc_id == persona_id:
		_questions.append({"id": query_id, "addresses": addresses})


func _answer(query_id: String, addresses: PackedStringArray) -> void:
	var reaches: Array[Dictionary] = []
	for address: String in addresses:
		var goal: Variant = _goal_of(address)
		var path := _way_to(goal) if goal != null else PackedVector2Array()
		var travel_s := _travel_s(path)
		var barred := NpcRules.why_barred(get_tree(), persona_id, address, _server.game_time_s + travel_s)
		(
			reaches
			. append(
				{
					"address": address,
					"reachable": not path.is_empty() and barred.is_empty(),
					"travel_s": travel_s,
					"free": NpcRules.why_full(self, address).is_empty(),
				}
			)
		)
	_server.answer_path_query(persona_id, query_id, reaches)


## Game seconds for a way.
func _travel_s(path: PackedVector2Array) -> float:
	return _length(path) / _server.pixels_per_metre / maxf(walk_speed_m, 0.01)


func _length(path: PackedVector2Array) -> float:
	var sum := 0.0
	for i: int in range(1, path.size()):
		sum += path[i - 1].distance_to(path[i])
	return sum


# ---- senses


func _on_connected() -> void:
	# A new save knows nothing of this body, and a server that was gone has missed nothing: both are told what is true now.
	_noticed.clear()
	_place_address = ""
	_look_in_s = 0.0


func _on_loaded(_slot: String) -> void:
	doing = Doing.NOTHING
	action = null
	_on_connected()


func _look_around() -> void:
	if persona_id not in _server.npc_ids:
		return
	var here := NpcPlace.at(get_tree(), _body.global_position)
	var address := here.address if here != null else ""
	var player_m := _player_distance_m()
	var player_steps := int(player_m / PLAYER_STEP_M) if player_m >= 0.0 else -1
	if not address.is_empty() and (_place_address.is_empty() or player_steps != _player_steps):
		_player_steps = player_steps
		_server.report_whereabouts(persona_id, address, player_m)
	if address != _place_address and not address.is_empty():
		_place_address = address
		_server.perceive(persona_id, "place", address, "", address)
	var seen: Dictionary = {}
	for other: NpcAgent in all(get_tree()):
		if other != self and _sees(other.get_body_position(), here):
			_notice(seen, "person", other.persona_id, other.get_predicate(), other.get_body_position())
	for node: Node in get_tree().get_nodes_in_group(PLAYER_GROUP):
		var player := node as Node2D
		if player != null and _sees(player.global_position, here):
			_notice(seen, "person", player.name, "is here", player.global_position)
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		var object := node as NpcObject
		if object != null and not object.state.is_empty() and _sees(object.global_position, here):
			_notice(seen, "object", object.address, "is " + object.state, object.global_position)
	_noticed = seen


## Metres to the nearest player within twice the vision radius; negative when there is none.
func _player_distance_m() -> float:
	var nearest := vision_radius_m * 2.0
	var found := -1.0
	for node: Node in get_tree().get_nodes_in_group(PLAYER_GROUP):
		var player := node as Node2D
		if player != null:
			var metres := _body.global_position.distance_to(player.global_position) / _server.pixels_per_metre
			if metres <= nearest:
				nearest = metres
				found = metres
	return found


func _notice(seen: Dictionary, kind: String, subject: String, text: String, where: Vector2) -> void:
	seen[subject] = text
	if _noticed.get(subject, "") != text:
		var metres := _body.global_position.distance_to(where) / _server.pixels_per_metre
		_server.perceive(persona_id, kind, subject, text, subject if kind == "object" else _address_at(where), metres)


func _sees(where: Vector2, here: NpcPlace) -> bool:
	if _body.global_position.distance_to(where) > vision_radius_m * _server.pixels_per_metre:
		return false
	var there := NpcPlace.at(get_tree(), where)
	if here == null or there == null or here == there:
		return true
	return here.open and there.open


func _address_at(where: Vector2) -> String:
	var place := NpcPlace.at(get_tree(), where)
	return place.address if place != null else ""


# ---- words


func _on_speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if npc_id == persona_id:
		spoke.emit(text, to, partial)
		return
	if partial or persona_id in to or persona_id not in _server.npc_ids:
		return
	for other: NpcAgent in all(get_tree()):
		if other.persona_id == npc_id and _sees(other.get_body_position(), NpcPlace.at(get_tree(), _body.global_position)):
			var metres := _body.global_position.distance_to(other.get_body_position()) / _server.pixels_per_metre
			_server.perceive(persona_id, "speech", npc_id, text, _address_at(other.get_body_position()), metres)


func _on_thought_received(npc_id: String, text: String, _source: String) -> void:
	if npc_id == persona_id:
		thinking_changed.emit(text)
