@tool
@icon("res://addons/npc/icons/agent.svg")
class_name NpcAgent
extends Node
## Gives a body a mind: put it under a Node2D or CharacterBody2D and name the persona.
##
## It tells the mind what is near, walks to where its actions take place along Godot's navigation, sets the states of the
## objects it uses, and says in signals what it does. A CharacterBody2D is moved with move_and_slide(); set its motion mode
## to Floating in a game that is seen from above.

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
## Seconds to wait for the navigation map before everything counts as out of reach.
const MAP_PATIENCE_S := 3.0

## Id of the persona: the `id` in its file.
@export var persona_id: String = "":
	set(value):
		var is_listed := NpcPeople.has(self)
		if is_listed:
			NpcPeople.remove(self)
		persona_id = value
		if is_listed:
			NpcPeople.add(self)
		update_configuration_warnings()
## For people; the id is used while it is empty.
@export var display_name: String = ""
## Pixels it walks in a second of real time, however fast the minds' clock runs.
@export_range(1.0, 1000.0, 1.0, "or_greater", "suffix:px/s") var walk_speed: float = 80.0
## Metres at which it notices things.
@export var vision_radius_m: float = 8.0
## Wall seconds between two looks around.
@export var look_interval_s: float = 0.5
## How near to its goal the way has to end, in pixels.
@export var reach_tolerance: float = 12.0
## True puts the body where its person is busy already when it enters the tree, as after a change of scene; else it walks
## there from where it stands.
@export var appear_at_action: bool = true

## What it does now; null before the first action.
var action: NpcAction = null
## How far it is with that.
var doing: Doing = Doing.NOTHING

var _server: NpcServerNode = null
var _body: Node2D = null
var _mover: NpcMover = null
var _doer: NpcDoer = null
var _senses: NpcSenses = null


func _enter_tree() -> void:
	if Engine.is_editor_hint():
		update_configuration_warnings()
		return
	add_to_group(GROUP)
	_body = get_parent() as Node2D
	if _body == null:
		push_error("NpcAgent '%s' needs a Node2D above it, the body that walks. Put it under one." % persona_id)
		return
	if display_name.is_empty():
		display_name = persona_id
	NpcPeople.add(self)
	_server = NpcSetup.server_of(self)
	if _server == null:
		return
	_mover = NpcMover.new(self, _body)
	_doer = NpcDoer.new(self, _server, _mover)
	_senses = NpcSenses.new(self, _server)
	_server.connected.connect(_on_connected)
	_server.loaded.connect(_on_loaded)
	_server.action_received.connect(_on_action_received)
	_server.speech_received.connect(_on_speech_received)
	_server.thought_received.connect(_on_thought_received)
	_come_in.call_deferred()  # once the places and things of the scene are there, too


func _exit_tree() -> void:
	if not NpcPeople.has(self):
		return
	NpcPeople.remove(self)
	if _server == null:
		return
	_server.connected.disconnect(_on_connected)
	_server.loaded.disconnect(_on_loaded)
	_server.action_received.disconnect(_on_action_received)
	_server.speech_received.disconnect(_on_speech_received)
	_server.thought_received.disconnect(_on_thought_received)
	_server.absent.take_over(persona_id, action, _doer.get_progress(), _senses.place_address, _doer.get_state_after())
	_doer.forget()


## Takes its person back from those who live without a body.
func _come_in() -> void:
	if _server == null or not NpcPeople.has(self):
		return
	NpcSetup.tell_unknown(self, _server)
	if NpcPeople.by_id(persona_id) != self:
		NpcSetup.tell_doubled(self, NpcPeople.by_id(persona_id), _server)
	var is_there := _server.absent.give_back(persona_id)
	var told := _server.get_action(persona_id)
	if told == null or action != null:
		return
	if is_there:
		_doer.appear(told)
	else:
		_doer.begin(told)


func _physics_process(delta: float) -> void:
	if _doer == null:
		return  # in the editor, or without the plugin
	_doer.step(delta)
	if _senses.is_due(delta):
		if doing == Doing.ACTING:
			_doer.leave_closed_place()
		_senses.look_around()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PARENTED:
		update_configuration_warnings()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_agent(self)


## Where the body is, in the town's coordinates.
func get_body_position() -> Vector2:
	return _body.global_position if _body != null else Vector2.ZERO


## Where the body looks, as a unit vector.
func get_heading() -> Vector2:
	return _mover.heading if _mover != null else Vector2.DOWN


## What others see it do: "is kneading dough".
func get_predicate() -> String:
	if action == null:
		return "is standing there"
	return "is on the way" if doing == Doing.WALKING else action.predicate()


## The thing it is using now, or null.
func get_object_in_use() -> NpcObject:
	return _doer.get_object_in_use() if _doer != null else null


## True while it keeps a thing in the state that its action gives it.
func is_changing(object: NpcObject) -> bool:
	return _doer != null and _doer.is_changing(object)


## Address of the place that the body was last seen in; empty before the first look around.
func get_place_address() -> String:
	return _senses.place_address if _senses != null else ""


## Where the body goes for an address, in global coordinates; null when the scene has no such place or thing.
func get_spot_of(address: String) -> Variant:
	var object := NpcObject.by_address(get_tree(), address)
	if object != null:
		return object.get_spot()
	var place := NpcPlace.by_address(get_tree(), address)
	return place.get_spot(hash(persona_id)) if place != null else null


## The game seconds that a way takes at [member walk_speed] and the speed of the minds' clock.
func get_travel_s(path: PackedVector2Array) -> float:
	return _mover.walk_s(path) * _server.time_scale


## True once the body can find ways; false in the first frames of a scene, before its navigation map is there.
func can_find_ways() -> bool:
	return _mover != null and _mover.can_navigate()


## The way to an address; empty when there is none.
func get_path_to_address(address: String) -> PackedVector2Array:
	var goal: Variant = get_spot_of(address)
	return _mover.way_to(goal) if goal != null else PackedVector2Array()


## Ways from a point, by their goals, that need not be looked for while the body stands there.
func know_ways(from: Vector2, paths: Dictionary[Vector2, PackedVector2Array]) -> void:
	if _mover != null:
		_mover.know(from, paths)


## What the minds want to know of an address: {"address", "reachable", "travel_s" (game seconds), "free"}.
func get_reach(address: String, path: PackedVector2Array) -> Dictionary:
	var travel_s := get_travel_s(path)
	var barred := NpcRules.why_barred(get_tree(), persona_id, address, _server.game_time_s + travel_s)
	return {
		"address": address,
		"reachable": not path.is_empty() and barred.is_empty(),
		"travel_s": travel_s,
		"free": NpcRules.why_full(get_tree(), address, self).is_empty(),
	}


## All agents in the tree.
static func all(_tree: SceneTree) -> Array[NpcAgent]:
	return NpcPeople.all()


func _on_action_received(npc_id: String, next: NpcAction) -> void:
	# Told again after a lost connection, the body is at it already.
	if npc_id == persona_id and (action == null or action.action_id != next.action_id):
		_doer.begin(next)


func _on_connected() -> void:
	# A new save knows nothing of this body, and a server that was gone has missed nothing: both are told what is true now.
	_senses.forget()
	NpcSetup.tell_unknown(self, _server)


func _on_loaded(_slot: String) -> void:
	_doer.forget()
	_senses.forget()


func _on_speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if npc_id == persona_id:
		spoke.emit(text, to, partial)
	elif not partial:
		_senses.hear(npc_id, text, to)


func _on_thought_received(npc_id: String, text: String, _source: String) -> void:
	if npc_id == persona_id:
		thinking_changed.emit(text)
