@tool
class_name DemoPerson
extends Node2D
## A person of the town: the body that walks, and its figure. An [NpcAgent] under it is the mind. [DemoLabels] and [DemoCard]
## write about it.

## Emitted when what the labels and the card show of the person has changed.
signal changed

const SAID_FOR_S := 4.0
## More seconds for each character of the text.
const READ_S := 0.05
## Milliseconds that a mind usually needs to decide what comes next.
const DECIDES_MS := 1500
const MIDDLE := 10
const FRONT := 11
## Where the figure is, standing and in bed.
const STANDING := Rect2(-10, -24, 20, 34)
const LYING := Rect2(-10, -12, 20, 32)

## Coat, hair and skin.
@export var colours: Array[Color] = [DemoPalette.COATS[0], DemoPalette.HAIR[0], DemoPalette.SKIN[0]]

## If [code]true[/code], the player talks with this person, and nobody is drawn in front of them.
var chosen: bool = false:
	set(value):
		if value != chosen:
			chosen = value
			z_index = FRONT if value else MIDDLE
			changed.emit()
## The last line, while it is shown.
var said: String = ""
## The last thought.
var thought: String = ""

var _agent: NpcAgent
var _figure: DemoFigure
var _sleeper: DemoSleeper
var _bed: DemoFurniture
var _picture: String = "dots"
var _said_until_ms: int = 0
var _last_position := Vector2.ZERO
var _last_action: NpcAction
var _last_doing: NpcAgent.Doing = NpcAgent.Doing.NOTHING
## When the last action ended, while that is a moment ago; otherwise -1.
var _ended_ms: int = -1
## If [code]true[/code], the lines of a talk that is over are still shown.
var _is_shown_talking: bool = false


func _ready() -> void:
	for child: Node in get_children():
		_agent = child as NpcAgent if child is NpcAgent else _agent
	_figure = DemoFigure.new()
	_figure.colours = colours
	_figure.looks = DemoLooks.of(_agent.persona_id if _agent != null else "")
	add_child(_figure)
	set_process(_agent != null and not Engine.is_editor_hint())
	if not is_processing():
		return
	z_index = MIDDLE
	_sleeper = DemoSleeper.new()
	_sleeper.colours = colours
	_sleeper.looks = _figure.looks
	add_child(_sleeper)
	_sleeper.lie_in(null)
	_agent.spoke.connect(_on_spoke)
	_agent.thinking_changed.connect(_on_thinking_changed)
	_agent.feelings_changed.connect(func(_feelings: NpcFeelings) -> void: changed.emit())


func get_agent() -> NpcAgent:
	return _agent


func get_first_name() -> String:
	return _agent.display_name.get_slice(" ", 0)


## Returns what the person does now, such as "is kneading dough". What they are only on the way to do is not done yet.
func get_line() -> String:
	if _agent.action == null:
		return "has not decided yet"
	match _agent.doing:
		NpcAgent.Doing.ACTING:
			return _agent.action.predicate()
		NpcAgent.Doing.WALKING:
			return _agent.get_predicate() if _agent.get_way().is_empty() else _get_way_text()
	if _has_just_ended():
		return _agent.action.predicate()
	return "is still talking" if _is_shown_talking else "is standing there"


## Returns a text such as "is going to the Kettle Café".
func _get_way_text() -> String:
	var house := DemoWords.get_house(_agent.get_way())
	if house == null or Rect2(house.global_position, house.size).has_point(global_position):
		return "is on the way"
	return "is going to %s" % house.display_name


## Returns [code]true[/code] between two actions: the mind decides about the next one when the clock tells it to.
func _has_just_ended() -> bool:
	return _ended_ms >= 0 and not _is_shown_talking


## Returns the mood and the need that is met least, such as "happy, food 4"; empty if nothing is known yet.
func get_feelings_text() -> String:
	var felt := _agent.feelings
	if felt == null:
		return ""
	var lowest := felt.get_lowest_need()
	var need := "%s %d" % [lowest, roundi(felt.needs[lowest])]
	return need if felt.mood == "neutral" else "%s, %s" % [felt.mood, need]


## Returns the name of the picture for what the person does.
func get_picture() -> String:
	return _picture


func is_walking() -> bool:
	return _agent.doing == NpcAgent.Doing.WALKING


## Returns the bed that the person lies in, or [code]null[/code].
func get_bed() -> DemoFurniture:
	return _bed


## Returns where the figure is, standing or in bed, in global coordinates.
func get_area() -> Rect2:
	if _bed == null:
		return global_transform * STANDING
	var lying := Rect2(-LYING.end, LYING.size) if _bed.upside_down else LYING
	return Rect2(_bed.global_position + lying.position * scale, lying.size * scale)


## Returns [code]true[/code] if the figure is at a global position.
func has_point(at: Vector2) -> bool:
	return get_area().has_point(at)


func _on_spoke(text: String, _to: PackedStringArray, _partial: bool) -> void:
	said = text
	_said_until_ms = Time.get_ticks_msec() + int((SAID_FOR_S + READ_S * text.length()) * 1000.0)
	changed.emit()


func _on_thinking_changed(text: String) -> void:
	if text != thought:
		thought = text
		changed.emit()


func _process(delta: float) -> void:
	if position.distance_squared_to(_last_position) > 0.01:
		_last_position = position
		_figure.walk(delta)
	elif _agent.doing == NpcAgent.Doing.ACTING or _is_shown_talking:
		_figure.work(delta)
	elif _agent.doing != NpcAgent.Doing.WALKING:
		_figure.stand()
	_figure.look(_agent.get_heading())
	var talks := _agent.doing == NpcAgent.Doing.NOTHING and NpcServer.is_shown_talking(_agent.persona_id)
	if _agent.action != _last_action or _agent.doing != _last_doing or talks != _is_shown_talking:
		_ended_ms = Time.get_ticks_msec() if _last_doing == NpcAgent.Doing.ACTING and _is_over() else -1
		_is_shown_talking = talks
		_last_action = _agent.action
		_last_doing = _agent.doing
		_show_action()
	elif _ended_ms >= 0 and Time.get_ticks_msec() - _ended_ms > DECIDES_MS:
		_ended_ms = -1
		_show_action()
	if not said.is_empty() and Time.get_ticks_msec() > _said_until_ms:
		said = ""
		changed.emit()


## Returns [code]true[/code] if the action was done to its end, and no other has come.
func _is_over() -> bool:
	return _agent.doing == NpcAgent.Doing.NOTHING and _agent.action == _last_action


func _show_action() -> void:
	var object: DemoFurniture = null
	if _last_action != null and not _last_action.address.is_empty():
		object = NpcObject.by_address(_last_action.address) as DemoFurniture
	var rests := (_last_doing == NpcAgent.Doing.ACTING or _has_just_ended()) and object != null and object.kind == "bed"
	_bed = object if rests and _last_action.object_action in ["sleep", "lie down"] else null
	_sleeper.lie_in(_bed)
	_figure.visible = _bed == null
	_picture = _choose_picture(object.kind if object != null else "")
	changed.emit()


func _choose_picture(kind: String) -> String:
	match _last_doing:
		NpcAgent.Doing.ACTING:
			return DemoPictures.get_picture(_last_action, kind)
		NpcAgent.Doing.WALKING:
			return "words" if _agent.get_way().is_empty() else "steps"
	if _has_just_ended():
		return DemoPictures.get_picture(_last_action, kind)
	return "words" if _is_shown_talking else "dots"
