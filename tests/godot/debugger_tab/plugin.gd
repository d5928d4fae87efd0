@tool
extends "res://addons/probe/hands.gd"
## Looks into the minds of a game in the debugger's tab, with a game that talks to the editor's debug server.

const CALM_FRAMES := 20
const START_MS := 300_000
const MARA := "mara_voss"

var _panel: NpcPanel
var _game: int = -1


func _enter_tree() -> void:
	_drive.call_deferred()


## Whatever went wrong, no game stays behind.
func _exit_tree() -> void:
	if _game > 0 and OS.is_process_running(_game):
		OS.kill(_game)


func _drive() -> void:
	get_window().size = Vector2i(1600, 900)
	var calm := 0
	while calm < CALM_FRAMES:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	await _until(_find_panel)
	_tell("before", _panel.view.source.get_problem())
	_show_tabs()
	# As the editor does it. It would begin the game with its own executable, which is a start script on some systems.
	var words: PackedStringArray = ["--headless", "--path", ProjectSettings.globalize_path("res://")]
	words.append_array(["--remote-debug", "tcp://127.0.0.1:" + OS.get_environment("NPC_TEST_PORT")])
	_game = OS.create_process(OS.get_environment("NPC_TEST_GODOT"), words)
	await _until_played()
	_show_tabs()
	if OS.get_environment("NPC_TEST_RUN") == "pictures":
		await _pose()
		print("DRIVER ended")
		get_tree().quit()
		return
	await _look()
	await _measure()
	OS.kill(_game)
	await _until(func() -> bool: return "has ended" in _panel.view.problem)
	_tell("after", _panel.view.problem)
	EditorInterface.set_plugin_enabled("npc", false)
	await _frames(20)
	_tell("left", get_tree().root.find_children("*", "NpcPanel", true, false).size())
	print("DRIVER ended")
	get_tree().quit()


## A server takes its time to start on a busy machine.
func _until_played() -> void:
	var end := Time.get_ticks_msec() + START_MS
	while _panel.view.people.is_empty() and Time.get_ticks_msec() < end:
		await get_tree().process_frame
	_tell("people", [_panel.view.people.size(), _panel.view.problem])


func _find_panel() -> bool:
	var found := get_tree().root.find_children("Minds", "NpcPanel", true, false)
	_panel = found[0] as NpcPanel if not found.is_empty() else null
	return _panel != null


## Brings the tab in sight, whichever containers it is in.
func _show_tabs() -> void:
	var inside: Node = _panel
	while inside.get_parent() != null:
		var tabs := inside.get_parent() as TabContainer
		if tabs != null and inside is Control:
			tabs.current_tab = tabs.get_tab_idx_from_control(inside as Control)
		elif inside is Control and inside.get_class() == "EditorDebuggerNode":
			make_bottom_panel_item_visible(inside as Control)
		inside = inside.get_parent()


func _look() -> void:
	_tell("title", _panel.view.source.get_title())
	_panel.view.choose(MARA)
	for called: String in ["Everybody", "Mind", "Memories", "Recall", "Relations", "Reflections", "Questions"]:
		_panel.show_page(called)
		var page: Control = _panel.pages[called]
		if called == "Recall":
			page.call("recall", "Who bakes bread?")
		await _until(_has_come.bind(page))
		_tell(called, _titles(page))
		await _frames(10)
		_picture("debugger_" + called.to_lower())
	_tell("refused", await _refused())


func _has_come(page: Control) -> bool:
	if page.name == "Relations":
		return (page.get("graph").call("get_people") as Array).size() > 1
	if page.name == "Reflections":
		return (page.get("tree") as Tree).get_root() != null
	if page.name == "Everybody":
		return "because: " in str(_titles(page))
	return not _titles(page).is_empty()


func _titles(page: Control) -> Array:
	if page.name == "Relations":
		return page.get("graph").call("get_people")
	if page.name == "Reflections":
		return (page.get("tree") as Tree).get_root().get_children().map(func(item: TreeItem) -> String: return item.get_text(0))
	var list: Object = page.get("plan") if page.name == "Mind" else page.get("list")
	return (list.get("rows") as Array).map(func(row: RefCounted) -> String: return "%s | %s" % [row.get("title"), row.get("note")])


## The picture of the docs: the game's script, and below it what its baker remembers.
func _pose() -> void:
	EditorInterface.edit_script(load("res://main.gd") as Script)
	EditorInterface.set_main_screen_editor("Script")
	await _frames(30)
	_show_tabs()
	_panel.view.choose(MARA)
	_panel.show_page("Memories")
	var page: Control = _panel.pages["Memories"]
	await _until(func() -> bool: return _titles(page).size() > 8)
	await get_tree().create_timer(3.0).timeout
	page.get("list").call("choose", 0)
	await get_tree().create_timer(2.0).timeout
	_picture("debugger_tab")


## What a game says to a call that would change something.
func _refused() -> String:
	var request := _panel.view.source.ask("DeleteMemory", {"npc_id": MARA, "memory_id": 1})
	await request.done()
	return request.error.message if request.error != null else ""


## How many calls are made while nobody can see the tab.
func _measure() -> void:
	_panel.hide()
	await _frames(10)
	var before := _panel.view.asked
	await get_tree().create_timer(3.0).timeout
	_tell("asked while hidden", _panel.view.asked - before)
	_panel.show()
