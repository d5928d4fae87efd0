class_name DemoPerson
extends Node2D
## A person of the town: the body that walks, and its figure. [DemoLabels] and [DemoCard] write about it.

## Emitted when what the labels and the card show of the person has changed.
signal changed

const SAID_FOR_S := 4.0
## More seconds for each character of the text.
const READ_S := 0.05
const MIDDLE := 10
const FRONT := 11
## How far the top of the head is above the feet, in pixels.
const HEAD := 26.0

## Coat, hair and skin.
var colours: Array[Color] = []
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
var _figure := DemoFigure.new()
var _sleeper := DemoSleeper.new()
var _bed: DemoFurniture
var _picture: String = "dots"
var _said_until_ms: int = 0
var _last_position := Vector2.ZERO
var _last_action: NpcAction
var _last_doing: NpcAgent.Doing = NpcAgent.Doing.NOTHING


func setup(agent: NpcAgent, look: Array[Color]) -> void:
	_agent = agent
	colours = look
	z_index = MIDDLE
	_figure.colours = look
	_sleeper.colours = look
	add_child(agent)
	add_child(_figure)
	add_child(_sleeper)
	agent.spoke.connect(_on_spoke)
	agent.thinking_changed.connect(_on_thinking_changed)
	agent.feelings_changed.connect(func(_feelings: NpcFeelings) -> void: changed.emit())


func _ready() -> void:
	_sleeper.lie_in(null)


func get_agent() -> NpcAgent:
	return _agent


func get_first_name() -> String:
	return _agent.display_name.get_slice(" ", 0)


## Returns what the person does, such as "is kneading dough".
func get_line() -> String:
	if _agent.action == null:
		return "has not decided yet"
	return _agent.action.predicate()


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


## Returns the top of the head in global coordinates.
func get_top() -> Vector2:
	return (_bed.global_position if _bed != null else global_position + Vector2(0, -12.0 * scale.y)) - Vector2(0, (HEAD - 12.0) * scale.y)


## Returns [code]true[/code] if the figure, standing or in bed, is at a global position.
func has_point(at: Vector2) -> bool:
	var figure := Rect2(-11, -23, 22, 31)
	if _bed != null:
		figure = Rect2(to_local(_bed.global_position) + Vector2(-10, -10), Vector2(20, 31))
	return figure.has_point(to_local(at))


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
	elif _agent.doing != NpcAgent.Doing.WALKING:
		_figure.stand()
	_figure.look(_agent.get_heading())
	if _agent.action != _last_action or _agent.doing != _last_doing:
		_last_action = _agent.action
		_last_doing = _agent.doing
		_show_action()
	if not said.is_empty() and Time.get_ticks_msec() > _said_until_ms:
		said = ""
		changed.emit()


func _show_action() -> void:
	var object: DemoFurniture = null
	if _last_action != null and not _last_action.address.is_empty():
		object = NpcObject.by_address(_last_action.address) as DemoFurniture
	var rests := _last_doing == NpcAgent.Doing.ACTING and object != null and object.kind == "bed"
	_bed = object if rests and _last_action.object_action in ["sleep", "lie down"] else null
	_sleeper.lie_in(_bed)
	_figure.visible = _bed == null
	_picture = "steps" if is_walking() else DemoPictures.get_picture(_last_action, object.kind if object != null else "")
	changed.emit()
