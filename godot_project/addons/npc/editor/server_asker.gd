@tool
extends Node
## Asks npc-server something while the editor goes on: each question is a process of its own, and its answer is JSON.


## One question that waits for its answer.
class Question:
	extends RefCounted
	var pid: int = -1
	var output: FileAccess
	var errors: FileAccess
	var said := PackedByteArray()
	var complained := PackedByteArray()
	## Is called with the answer, which is empty if there is none, and with what went wrong.
	var answered: Callable

	## Takes what has come so far. A pipe that nobody reads is full one day, and then the program waits for ever.
	func read() -> void:
		said.append_array(_read_pipe(output))
		complained.append_array(_read_pipe(errors))

	static func _read_pipe(pipe: FileAccess) -> PackedByteArray:
		var all := PackedByteArray()
		while true:
			var piece := pipe.get_buffer(65536)
			all.append_array(piece)
			if piece.is_empty():
				return all
		return all


## The exit code of npc-server when it does not know a command or an option.
const WRONG_ARGUMENTS := 2

var _questions: Array[Question] = []


func _process(_delta: float) -> void:
	for question: Question in _questions.duplicate():
		var runs := OS.is_process_running(question.pid)  # asked first, because the last words come before the end
		question.read()
		if not runs:
			_questions.erase(question)
			_answer(question, OS.get_process_exit_code(question.pid))


func _exit_tree() -> void:
	for question: Question in _questions:
		OS.kill(question.pid)
	_questions.clear()


## Returns [code]true[/code] while a question waits for its answer.
func is_asking() -> bool:
	return not _questions.is_empty()


## Asks [code]npc-server …[/code]. [param answered] is called later with the answer and an error, one of which is empty.
## Returns [code]false[/code] if there is no server to ask.
func ask(words: PackedStringArray, answered: Callable) -> bool:
	var program := NpcProgram.find()
	if not program.is_found():
		return false
	var pipes := OS.execute_with_pipe(program.words[0], program.words.slice(1) + words, false)
	if pipes.is_empty():
		return false
	var question := Question.new()
	question.pid = pipes["pid"]
	question.output = pipes["stdio"]
	question.errors = pipes["stderr"]
	question.answered = answered
	_questions.append(question)
	return true


func _answer(question: Question, code: int) -> void:
	var said := question.said.get_string_from_utf8()
	var parsed: Variant = JSON.parse_string(said) if code == 0 and said.begins_with("{") else null
	if parsed is Dictionary:
		question.answered.call(parsed as Dictionary, "")
	elif code == 0:
		question.answered.call({"said": said}, "")
	elif code == WRONG_ARGUMENTS:
		question.answered.call({}, "This npc-server does not know what the addon asks. Install the version that came with the addon.")
	else:
		var told := question.complained.get_string_from_utf8().strip_edges().trim_prefix("npc-server: ")
		question.answered.call({}, told if not told.is_empty() else "npc-server ended with code %d and said nothing." % code)
