@tool
extends VBoxContainer
## The dock "Minds": the people and the town of the project, and the memories in its saves.

const Known := preload("res://addons/npc/editor/known.gd")
const MemoriesPage := preload("res://addons/npc/editor/memories_page.gd")
const NoServer := preload("res://addons/npc/editor/no_server.gd")
const PeoplePage := preload("res://addons/npc/editor/people_page.gd")
const ServerAsker := preload("res://addons/npc/editor/server_asker.gd")
const TownPage := preload("res://addons/npc/editor/town_page.gd")
## Seconds between two looks at the files.
const LOOK_S := 1.0

## Where people are listed.
var people: PeoplePage
## Where the town is shown.
var town: TownPage
## Where memories of a save are changed.
var memories: MemoriesPage
## What is shown where no server is.
var no_server := NoServer.new()
## How the check of the files ended; empty if it went well.
var error := Label.new()

var _known: Known
var _asker := ServerAsker.new()
var _tabs := TabContainer.new()
var _seen: String = ""
var _wait_s: float = 0.0
var _is_reading: bool = false


func _init(known: Known) -> void:
	name = "Minds"
	_known = known
	add_child(_asker)
	no_server.looked.connect(look_again)
	add_child(no_server)
	error.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	error.hide()
	add_child(error)
	people = PeoplePage.new(known, _asker)
	people.written.connect(look_again)
	town = TownPage.new(known, _asker)
	town.deleted.connect(look_again)
	memories = MemoriesPage.new(_asker)
	_tabs.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_tabs.add_child(people)
	_tabs.add_child(town)
	_tabs.add_child(memories)
	add_child(_tabs)
	known.changed.connect(_name_tabs)


func _ready() -> void:
	_known.load_last()


func _process(delta: float) -> void:
	_wait_s -= delta
	if _wait_s > 0.0 or _is_reading:
		return
	_wait_s = LOOK_S
	var signature := _sign_files()
	if signature != _seen:
		_seen = signature
		_read_files()


## Reads the files again, whether they have changed or not.
func look_again() -> void:
	_seen = ""
	_wait_s = 0.0


## Shows the page of people, of the town or of memories.
func show_page(page: Control) -> void:
	_tabs.current_tab = _tabs.get_tab_idx_from_control(page)


## Returns [code]true[/code] while the server reads the files.
func is_reading() -> bool:
	return _is_reading or _seen.is_empty() or _asker.is_asking()


func _read_files() -> void:
	var words: PackedStringArray = ["editor", "index"]
	for option: Array in [["--town", NpcSettings.TOWN], ["--personas", NpcSettings.PERSONAS]] as Array[Array]:
		var path := NpcSettings.get_text(option[1] as String)
		if not path.is_empty() and (FileAccess.file_exists(path) or DirAccess.dir_exists_absolute(path)):
			words.append_array([option[0] as String, ProjectSettings.globalize_path(path)])
	_is_reading = _asker.ask(words, _on_read)
	no_server.update(not _is_reading)
	if not _is_reading:
		_known.load_last()


func _on_read(answer: Dictionary, problem: String) -> void:
	_is_reading = false
	error.text = "The files cannot be checked. %s" % problem if not problem.is_empty() else ""
	error.visible = not problem.is_empty()
	error.add_theme_color_override(&"font_color", get_theme_color(&"error_color", &"Editor"))
	if problem.is_empty():
		_known.take(answer)
	else:
		_known.load_last()


## The names and times of all files that the server reads.
func _sign_files() -> String:
	var told := PackedStringArray([NpcSettings.get_text(NpcSettings.COMMAND), NpcSettings.get_text(NpcSettings.PERSONAS)])
	var files := NpcFiles.list_persona_files()
	files.append(NpcSettings.get_text(NpcSettings.TOWN))
	for file: String in files:
		told.append("%s %d" % [file, FileAccess.get_modified_time(file) if FileAccess.file_exists(file) else 0])
	return "\n".join(told)


func _name_tabs() -> void:
	var mistakes := _known.problems.filter(func(it: Dictionary) -> bool: return not it["is_warning"]).size()
	_tabs.set_tab_title(0, "People (%d)" % _known.people.size())
	_tabs.set_tab_icon(0, get_theme_icon(&"StatusError", &"EditorIcons") if mistakes > 0 and is_inside_tree() else null)
