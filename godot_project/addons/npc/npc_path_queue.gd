class_name NpcPathQueue
extends Node
## Answers the minds' questions how far places are: first come, first served, and a little in each frame, so that no frame
## gets long however many ask at once. Ways are looked for on Godot's worker threads.

## Questions that are answered in one frame, over all people.
const ANSWERS_A_FRAME := 2
## Questions whose ways are looked for at the same time.
const MOST_SEARCHES := 4
## Microseconds of a frame for each question that waits. What is left of a question then waits for the next frame; one address
## is always looked at.
const USEC_FOR_EACH := 80
## Microseconds of a frame at most, however many questions wait. The minds wait for seconds.
const USEC_AT_MOST := 2000

## Answers since the game began, for tests and figures.
var answered: int = 0

var _server: NpcServerNode
var _absent: NpcAbsent
var _questions: Array[Question] = []
var _told_towns: PackedStringArray = []
var _places_looked_at: int = -1


class Question:
	extends RefCounted
	var npc_id: String
	var query_id: String
	var addresses: PackedStringArray
	var reaches: Array[Dictionary] = []
	var waited_s: float = 0.0
	var search: NpcWaySearch = null


## The autoload, and who answers for people without a body.
func setup(server: NpcServerNode, absent: NpcAbsent) -> void:
	_server = server
	_absent = absent
	server.path_queried.connect(_on_path_queried)
	server.loaded.connect(func(_slot: String) -> void: _forget())


func _exit_tree() -> void:
	_forget()


func _on_path_queried(npc_id: String, query_id: String, addresses: PackedStringArray) -> void:
	if NpcPeople.by_id(npc_id) == null and not _absent.enabled:
		return  # the game answers
	if not addresses.is_empty():
		_tell_other_towns(addresses[0].get_slice(":", 0))
	var question := Question.new()
	question.npc_id = npc_id
	question.query_id = query_id
	question.addresses = addresses
	_questions.append(question)


func _process(delta: float) -> void:
	if _questions.is_empty():
		return
	var end_usec := Time.get_ticks_usec() + mini(USEC_FOR_EACH * _questions.size(), USEC_AT_MOST)
	var answers := 0
	var searches := 0
	var at := 0
	while at < _questions.size() and answers < ANSWERS_A_FRAME and searches < MOST_SEARCHES:
		var question := _questions[at]
		if not _is_ready(question, delta):
			searches += 1 if question.search != null else 0
			at += 1
			continue
		if not _go_on(question, end_usec):
			return
		_questions.remove_at(at)
		_server.answer_path_query(question.npc_id, question.query_id, question.reaches)
		answers += 1
		answered += 1


## Whether nothing is left to wait for: the body's navigation map, and then the ways on it.
func _is_ready(question: Question, delta: float) -> bool:
	var agent := NpcPeople.by_id(question.npc_id)
	if question.search != null:
		return question.search.is_done()
	if agent == null:
		return true
	if agent.can_find_ways():
		question.search = NpcWaySearch.new(agent, question.addresses)
		return false
	question.waited_s += delta
	return question.waited_s >= NpcAgent.MAP_PATIENCE_S


## Looks at one address after the other. Returns false when the frame's time is up before the last.
func _go_on(question: Question, end_usec: int) -> bool:
	while question.reaches.size() < question.addresses.size():
		var address := question.addresses[question.reaches.size()]
		var agent := NpcPeople.by_id(question.npc_id)
		if agent == null:
			question.reaches.append(_absent.get_reach(question.npc_id, address))
		else:
			var path := question.search.get_path_to(address) if question.search != null else PackedVector2Array()
			question.reaches.append(agent.get_reach(address, path))
		if Time.get_ticks_usec() >= end_usec:
			return question.reaches.size() == question.addresses.size()
	return true


## The minds name only addresses of their own town. Places of another one are typing mistakes: nobody would ever go there.
func _tell_other_towns(town: String) -> void:
	if _places_looked_at == NpcPlace.get_changes():
		return
	_places_looked_at = NpcPlace.get_changes()
	for root: String in NpcPlace.get_towns():
		if root != town and root not in _told_towns:
			_told_towns.append(root)
			var message := "The minds' town is '%s', and addresses of places in this scene begin with '%s'. Nobody goes there; mend: %s."
			var addresses := NpcPlace.parts_of(get_tree(), root).map(func(place: NpcPlace) -> String: return place.address)
			var error := NpcError.make("NOT_FOUND", "PLACE_OUTSIDE_TOWN", message % [town, root, ", ".join(PackedStringArray(addresses))])
			_server.failed.emit(error)


func _forget() -> void:
	for question: Question in _questions:
		if question.search != null:
			question.search.finish()
	_questions.clear()
