@tool
@icon("res://addons/npc/icons/agent.svg")
class_name NpcAgent
extends Node
## Gives a body a mind. Add it under the body and set [member persona_id]. The body is a [CharacterBody2D] or another
## [Node2D], or a [CharacterBody3D] or another [Node3D].
##
## The agent reports what is near the body. It walks to the places of its actions along Godot's navigation, and sets
## the states of the objects it uses. Its signals tell what the character does. A [CharacterBody2D] or [CharacterBody3D]
## is moved with [code]move_and_slide()[/code]. In a top-down 2D game, set its motion mode to Floating.

## Emitted when the mind has decided on another action and the body leaves for it.
signal action_started(action: NpcAction)
## Emitted when the body has arrived where the action takes place.
signal arrived(action: NpcAction)
## Emitted when the action's time is over, or another action replaces it.
signal action_finished(action: NpcAction)
## Emitted when the action cannot be done. The mind is told, and decides again.
signal action_failed(action: NpcAction, reason: String)
## Emitted when the character says something aloud. If [param partial] is [code]true[/code], [param text] holds the
## words so far.
signal spoke(text: String, to: PackedStringArray, partial: bool)
## Emitted when the character comes up to a player, with its first line. Its body walks to the player by itself if the
## player's body is in the group [constant PLAYER_GROUP].
signal approached_player(player: String, text: String)
## Emitted when the character thinks something. Meant for thought bubbles and debugging.
signal thinking_changed(text: String)
## Emitted when the mood changes, or a need by a whole point.
signal feelings_changed(feelings: NpcFeelings)

## How far the agent has got with its action.
enum Doing {
	## It has no action, waits for the navigation map, or the action is over.
	NOTHING,
	## The body walks to the place of the action.
	WALKING,
	## The body is there, and does the action.
	ACTING,
}

## The group of all agents.
const GROUP := &"npc_agents"
## The group for the bodies that players control. Characters see them under their node's name. Characters
## near a player get the model first, and may come up to them.
const PLAYER_GROUP := &"npc_players"
## Seconds to wait for the navigation map. After that every place counts as out of reach.
const MAP_PATIENCE_S := 3.0

## The signals of NpcServer that an agent listens to.
const _HEARD := "connected loaded action_received speech_received line_shown player_approached thought_received feelings_received"

## The [code]id[/code] in the character's persona file.
@export var persona_id: String = "":
	set(value):
		var is_listed := NpcAgents.has(self)
		if is_listed:
			NpcAgents.remove(self)
		persona_id = value
		if is_listed:
			NpcAgents.add(self)
		update_configuration_warnings()
## The name shown to players. If empty, [member persona_id] is used.
@export var display_name: String = ""
## Walking speed per second of real time, in pixels, or metres in 3D. It does not depend on
## [member NpcServerNode.time_scale]. If 0 when the agent enters the tree, it becomes 80 pixels, or 1.4 metres.
@export_range(0.0, 1000.0, 0.01, "or_greater") var walk_speed: float = 0.0
## How far the character sees and hears, in metres.
@export var vision_radius_m: float = 8.0
## Seconds of real time between two looks around.
@export var look_interval_s: float = 0.5
## How near to its target a path must end, in pixels, or metres in 3D. If 0 when the agent enters the tree, it becomes 12
## pixels, or 1 metre: an arm's length.
@export_range(0.0, 100.0, 0.01, "or_greater") var reach_tolerance: float = 0.0
## If [code]true[/code], a body that enters the tree appears where its character is already busy, as after a change of
## scene. If [code]false[/code], it walks there.
@export var appear_at_action: bool = true
## If [code]true[/code], the agent turns a 3D body to where it walks, and to the object in use. The body's front is its
## -Z axis. It never turns a 2D body.
@export var turns_body: bool = true
## If [code]true[/code], a character that stands turns to whom it talks with: [method get_heading] follows them, and so
## does a 3D body.
@export var turns_to_talk: bool = true
## If [code]false[/code], something else moves the body, such as a behaviour tree, and tells with an [NpcTask] how actions go.
@export var carries_out: bool = true

## The current action; [code]null[/code] before the first.
var action: NpcAction = null
## How far the current action has got.
var doing: Doing = Doing.NOTHING
## How the character feels; [code]null[/code] before the first message about it.
var feelings: NpcFeelings = null
## The space in which the body moves; [code]null[/code] without a body. Meant for the addon.
var space: NpcSpace = null

var _server: NpcServerNode = null
var _mover: NpcMover = null
var _runner: NpcActionRunner = null
var _senses: NpcSenses = null
var _gaze: NpcGaze = null
## If [code]true[/code], the character looks at somebody.
var _gazes: bool = false


func _enter_tree() -> void:
	if Engine.is_editor_hint():
		NpcWarnings.watch_maps(get_tree())
		update_configuration_warnings()
		return
	add_to_group(GROUP)
	space = NpcSpace.of(get_parent())
	if space == null:
		push_error("NpcAgent '%s' needs a Node2D or Node3D as its parent: the body that walks. Add the agent under one." % persona_id)
		return
	walk_speed = walk_speed if walk_speed > 0.0 else space.usual_speed
	reach_tolerance = reach_tolerance if reach_tolerance > 0.0 else space.usual_reach
	if display_name.is_empty():
		display_name = persona_id
	NpcAgents.add(self)
	_server = NpcSetup.find_server(self)
	if _server == null:
		return
	_mover = NpcMover.new(self, space)
	_runner = NpcActionRunner.new(self, _server, _mover)
	_senses = NpcSenses.new(self, _server)
	_gaze = NpcGaze.new(self)
	for heard: String in _HEARD.split(" "):
		_server.connect(heard, Callable(self, "_on_" + heard))
	feelings = _server.get_feelings(persona_id)
	_take_over.call_deferred()  # once the scene's places and objects are in the tree, too


func _exit_tree() -> void:
	if not NpcAgents.has(self):
		return
	NpcAgents.remove(self)
	if _server == null:
		return
	for heard: String in _HEARD.split(" "):
		_server.disconnect(heard, Callable(self, "_on_" + heard))
	_server.absent.take_over(persona_id, action, _runner.get_progress(), _senses.place_address, _runner.get_state_after())
	_runner.forget()


func _physics_process(delta: float) -> void:
	if _runner == null:
		return  # in the editor, or without the plugin
	_runner.step(delta)
	_look_at_people(delta)
	if turns_body and space.is_3d and (doing == Doing.WALKING or _gazes or _runner.get_object_in_use() != null):
		space.turn(_mover.heading, delta)
	if _senses.is_due(delta):
		if doing == Doing.ACTING:
			_runner.leave_closed_place()
		_senses.look_around()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PARENTED:
		update_configuration_warnings()


func _get_configuration_warnings() -> PackedStringArray:
	return NpcWarnings.of_agent(self)


## Returns the body's position in global coordinates. In 3D it is the position as seen from above: x and z.
func get_body_position() -> Vector2:
	return NpcSpace2D.to_position(get_point())


## Returns the direction in which the body looks, as a unit vector. In 3D it is the direction as seen from above: x and z.
func get_heading() -> Vector2:
	return NpcSpace2D.to_position(get_heading_3d())


## Returns the direction in which a 3D body looks, as a unit vector without height.
func get_heading_3d() -> Vector3:
	return _mover.heading if _mover != null else Vector3.BACK


## Returns [code]true[/code] if the body is 3D.
func is_3d() -> bool:
	return space != null and space.is_3d


## Returns where the body stands, as the addon calculates: in 3D the global position of its feet, and in 2D the global
## position (x, y) as (x, 0, y).
func get_point() -> Vector3:
	return space.get_point() if space != null else Vector3.ZERO


## Returns where the body stands, or will stand once it has walked there.
func get_goal_point() -> Vector3:
	return _mover.get_end() if _mover != null else get_point()


## Returns the units of the scene in a metre: pixels in 2D, and 1 in 3D.
func get_units_per_metre() -> float:
	return _server.pixels_per_metre if space is NpcSpace2D else 1.0


## Returns what others see the character do, such as "is kneading dough". Only who has arrived is seen doing it.
func get_predicate() -> String:
	var shown := _runner.get_shown() if _runner != null else ""
	if not shown.is_empty():
		return shown
	return "is on the way" if doing == Doing.WALKING else "is standing there"


## Returns [code]true[/code] while the character comes to somebody to talk: to the first of those with whom it talks.
func comes_up_to(person: String) -> bool:
	return doing == Doing.WALKING and action.talks_with.find(person) == 0


## Returns the address to which others see the character walk; empty if it does not walk.
func get_way() -> String:
	return action.address if doing == Doing.WALKING and _runner.get_shown().is_empty() else ""


## Returns the object in use in a 2D game, or [code]null[/code].
func get_object_in_use() -> NpcObject:
	var object := _runner.get_object_in_use() if _runner != null else null
	return object.node as NpcObject if object != null else null


## Returns the object in use in a 3D game, or [code]null[/code].
func get_object_in_use_3d() -> NpcObject3D:
	var object := _runner.get_object_in_use() if _runner != null else null
	return object.node as NpcObject3D if object != null else null


## Returns [code]true[/code] while the action keeps [param object] in the state it has set.
func is_changing(object: NpcObjectCore) -> bool:
	return _runner != null and _runner.is_changing(object)


## Returns the state that the object in use had before it was used. Used by the other users of the object.
func get_state_before() -> String:
	return _runner.get_state_before() if _runner != null else ""


## Returns the address of the place in which the body was last seen; empty before the first look around.
func get_place_address() -> String:
	return _senses.place_address if _senses != null else ""


## Returns the global position to which the body goes for an address: a [Vector2], or a [Vector3] in 3D. Returns
## [code]null[/code] if the scene has no such place or object.
func get_spot_of(address: String) -> Variant:
	var goal: Variant = find_goal(address)
	if goal == null or is_3d():
		return goal
	return NpcSpace2D.to_position(goal as Vector3)


## Returns the point of [method get_spot_of], or [code]null[/code].
func find_goal(address: String) -> Variant:
	var object := NpcObjectCore.by_address(address, is_3d())
	if object != null:
		return object.get_spot()
	var place := NpcPlaceCore.by_address(address, is_3d())
	if place == null:
		NpcSetup.report_other_space(self, address, _server)
	return place.get_spot(hash(persona_id)) if place != null else null


## Returns how many game seconds the body needs for a path, from [member walk_speed] and the speed of the game clock.
func get_travel_s(path: PackedVector3Array) -> float:
	return _mover.get_walk_s(path) * _server.time_scale


## Returns [code]true[/code] once the body can find paths. In the first frames of a scene there is no navigation map
## yet.
func can_find_paths() -> bool:
	return _mover != null and _mover.can_navigate()


## Returns the points of the path to an address, as [method get_point] gives them; empty if there is none.
func get_path_to_address(address: String) -> PackedVector3Array:
	var goal: Variant = find_goal(address)
	return _mover.find_path(goal as Vector3) if goal != null else PackedVector3Array()


## Keeps paths that start at [param from], by target. The body uses them while it stands there.
func keep_paths(from: Vector3, paths: Dictionary[Vector3, PackedVector3Array]) -> void:
	if _mover != null:
		_mover.keep_paths(from, paths)


## Answers a path query for one address: [code]{"address", "reachable", "travel_s" (game seconds), "free"}[/code].
func get_reach(address: String, path: PackedVector3Array) -> Dictionary:
	var travel_s := get_travel_s(path)
	var barred := NpcRules.why_barred(persona_id, address, _server.game_time_s + travel_s)
	return {
		"address": address,
		"reachable": not path.is_empty() and barred.is_empty(),
		"travel_s": travel_s,
		"free": NpcRules.why_full(address, self).is_empty(),
	}


## Reports what a player did at a global position, a [Vector2] or [Vector3], if the character sees it. See
## [method NpcServerNode.player_did].
func see_player_do(player: String, text: String, where: Variant) -> bool:
	return _senses != null and where is Vector3 == is_3d() and _senses.see_player_do(player, text, NpcSpace.to_point(where))


## Lets the character look at somebody for a few seconds, unless it walks: a character by its id, or a player by name.
func turn_to(person: String) -> void:
	if turns_to_talk and _gaze != null and is_inside_tree():
		_gaze.turn_to(person)


## Returns all agents in the tree.
static func all() -> Array[NpcAgent]:
	return NpcAgents.all()


## Returns the agent of a persona in the tree, or [code]null[/code].
static func by_id(npc_id: String) -> NpcAgent:
	return NpcAgents.by_id(npc_id)


## Takes the character over from [NpcAbsent].
func _take_over() -> void:
	if _server == null or not NpcAgents.has(self):
		return
	NpcSetup.report_unknown_persona(self, _server)
	if NpcAgents.by_id(persona_id) != self:
		NpcSetup.report_duplicate_persona(self, NpcAgents.by_id(persona_id), _server)
	var is_there := _server.absent.give_back(persona_id)
	var told := _server.get_action(persona_id)
	if told == null or action != null:
		return
	if is_there and carries_out:
		_runner.appear(told)
	else:
		_runner.begin(told)


func _on_action_received(npc_id: String, next: NpcAction) -> void:
	# After a lost connection the server sends the current action again.
	if npc_id == persona_id and (action == null or action.action_id != next.action_id):
		_runner.begin(next)


func _on_connected() -> void:
	# A new save does not know this body, and a restarted server missed nothing: both need the current state.
	_senses.forget()
	NpcSetup.report_unknown_persona(self, _server)


func _on_loaded(_slot: String) -> void:
	feelings = null
	_runner.forget()
	_senses.forget()


func _look_at_people(delta: float) -> void:
	var to := _gaze.step(delta)
	if not to.is_zero_approx():
		_mover.heading = to
	elif _gazes:
		_runner.face_object()  # back to the stove
	_gazes = not to.is_zero_approx()


func _on_speech_received(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if npc_id != persona_id and not partial:
		_senses.hear(npc_id, text, to)


func _on_line_shown(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	if npc_id == persona_id:
		if not to.is_empty():
			turn_to(to[0])
		spoke.emit(text, to, partial)
	elif persona_id in to:
		turn_to(npc_id)


func _on_player_approached(npc_id: String, player: String, text: String, _about: String) -> void:
	if npc_id != persona_id:
		return
	var body := NpcGaze.find_player(self, player)
	if body != null:
		_runner.walk_up_to(NpcSpace.point_of(body))
	approached_player.emit(player, text)


func _on_thought_received(npc_id: String, text: String, _source: String) -> void:
	if npc_id == persona_id:
		thinking_changed.emit(text)


func _on_feelings_received(npc_id: String, felt: NpcFeelings) -> void:
	if npc_id == persona_id:
		feelings = felt
		feelings_changed.emit(felt)
