class_name NpcPathQueue
extends Node
## Answers the minds' questions how far places are: first come, first served, and a little in each frame, so that no frame
## gets long however many ask at once.

## Questions that are answered in one frame, over all people.
const ANSWERS_A_FRAME := 2
## Microseconds of a frame after which the rest of a question waits for the next one.
const FRAME_BUDGET_USEC := 200

## Answers since the game began, for tests and figures.
var answered: int = 0

var _server: NpcServerNode
var _absent: NpcAbsent
var _questions: Array[Question] = []


class Question:
	var npc_id: String
	var query_id: String
	var addresses: PackedStringArray
	var reaches: Array[Dictionary] = []
	var waited_s: float = 0.0


## The autoload, and who answers for people without a body.
func setup(server: NpcServerNode, absent: NpcAbsent) -> void:
	_server = server
	_absent = absent
	server.path_queried.connect(_on_path_queried)
	server.loaded.connect(func(_slot: String) -> void: _questions.clear())


func _on_path_queried(npc_id: String, query_id: String, addresses: PackedStringArray) -> void:
	if NpcAgent.by_id(npc_id) == null and not _absent.enabled:
		return  # the game answers
	var question := Question.new()
	question.npc_id = npc_id
	question.query_id = query_id
	question.addresses = addresses
	_questions.append(question)


func _process(delta: float) -> void:
	if _questions.is_empty():
		return
	var end_usec := Time.get_ticks_usec() + FRAME_BUDGET_USEC
	var answers := 0
	var at := 0
	while at < _questions.size() and answers < ANSWERS_A_FRAME:
		var question := _questions[at]
		if not _can_answer(question, delta):
			at += 1
			continue
		if not _go_on(question, end_usec):
			return
		_questions.remove_at(at)
		_server.answer_path_query(question.npc_id, question.query_id, question.reaches)
		answers += 1
		answered += 1
		if Time.get_ticks_usec() >= end_usec:
			return


## A question waits while the body's navigation map is not there yet.
func _can_answer(question: Question, delta: float) -> bool:
	var agent := NpcAgent.by_id(question.npc_id)
	if agent == null or agent.can_find_ways():
		return true
	question.waited_s += delta
	return question.waited_s >= NpcAgent.MAP_PATIENCE_S


## Looks at one address after the other. Returns false when the frame's time is up before the last.
func _go_on(question: Question, end_usec: int) -> bool:
	while question.reaches.size() < question.addresses.size():
		var address := question.addresses[question.reaches.size()]
		var agent := NpcAgent.by_id(question.npc_id)
		question.reaches.append(agent.get_reach(address) if agent != null else _absent.get_reach(question.npc_id, address))
		if Time.get_ticks_usec() >= end_usec:
			return question.reaches.size() == question.addresses.size()
	return true
