extends Node
## Runs a test case: [code]godot --headless --path godot_project res://tests/run.tscn -- CASE [arguments][/code].
##
## A case prints [code]RESULT {json}[/code] and returns an exit code. Pytest reads both.

## The most seconds a case takes, unless it is given limit_s=N.
const LIMIT_S := 500.0


func _ready() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments.is_empty():
		_end(2, "Name a case: one of the files in tests/cases, without .gd.")
		return
	var path := "res://tests/cases/%s.gd" % arguments[0]
	if not ResourceLoader.exists(path):
		_end(2, "There is no case %s." % path)
		return
	var case: NpcTestCase = (load(path) as GDScript).new() as NpcTestCase
	if case == null:
		_end(2, "The case %s does not load or does not extend NpcTestCase." % path)
		return
	case.arguments = arguments.slice(1)
	for given: String in case.arguments:
		if given.begins_with("npc/"):
			ProjectSettings.set_setting(given.get_slice("=", 0), given.get_slice("=", 1))
	# Most cases have no bodies, and count what they send.
	NpcServer.absent.enabled = case.has_absent_characters()
	add_child(case)
	var limit_s := float(case.argument("limit_s", str(LIMIT_S)))
	get_tree().create_timer(limit_s).timeout.connect(func() -> void: _end(3, "The case took longer than %d s." % int(limit_s)))
	@warning_ignore("redundant_await")
	await case.run()
	print("RESULT ", JSON.stringify(case.result))
	_end(0 if case.problems.is_empty() else 1, "\n".join(case.problems))


func _end(code: int, why: String) -> void:
	if not why.is_empty():
		printerr("CASE ", why)
	NpcServer.stop()
	get_tree().quit(code)
