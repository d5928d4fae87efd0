@tool
extends ConfirmationDialog
## The form of a new person. It makes the text of a persona file.

## Emitted with the path and the text of the new file.
signal made(path: String, text: String)

const Known := preload("res://addons/npc/editor/known.gd")
const ChoiceField := preload("res://addons/npc/editor/choice_field.gd")
const TextFile := preload("res://addons/npc/editor/text_file.gd")
const WIDTH := 560.0
const AGE := 30
const NO_TOWN := (
	"There is no town yet, so the home may stay empty. The file gets one that is made up, with which they can talk at once. "
	+ "Once the project has a town file, choose a bed or a room of it."
)

## The fields.
var full_name := LineEdit.new()
var id := LineEdit.new()
var age := SpinBox.new()
var traits := LineEdit.new()
var identity := TextEdit.new()
var currently := LineEdit.new()
var style := LineEdit.new()
var home := ChoiceField.new()
var work := ChoiceField.new()
## What to do about the home while there is no town.
var note := Label.new()
## Why the person cannot be made yet.
var problem := Label.new()

var _known: Known
var _folder: String = ""
var _grid := GridContainer.new()
var _own_id: bool = false
## The file that is copied; empty for a new person.
var _copied: String = ""
## The fields that a copy takes from its file.
var _rest: Array[Control] = []


func _init(known: Known) -> void:
	_known = known
	var column := VBoxContainer.new()
	_grid.columns = 2
	_grid.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_add("Name", full_name, "Ada Finch")
	_add("Id", id, "ada_finch")
	age.max_value = 100000
	_rest.append_array(_add("Age", age))
	_rest.append_array(_add("Traits", traits, "shy, stubborn"))
	identity.custom_minimum_size.y = 90 * EditorInterface.get_editor_scale()
	identity.wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
	identity.size_flags_vertical = Control.SIZE_EXPAND_FILL
	identity.placeholder_text = "Ada Finch mends clocks. She came from the coast two years ago."
	_rest.append_array(_add("Who they are", identity))
	_rest.append_array(_add("News and what is on their mind", currently, "Ada has heard that the mill is for sale."))
	_rest.append_array(_add("Way of speaking", style, "Few words, and dry jokes about clocks."))
	_rest.append_array(_add("Home", home))
	_rest.append_array(_add("Work", work))
	work.line.placeholder_text = "none"
	column.add_child(_grid)
	note.text = NO_TOWN
	for label: Label in [note, problem] as Array[Label]:
		label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		label.custom_minimum_size = Vector2(WIDTH * EditorInterface.get_editor_scale(), 0)
		column.add_child(label)
	add_child(column)
	full_name.text_changed.connect(_on_named)
	id.text_changed.connect(func(_text: String) -> void: _own_id = true)
	for field: LineEdit in [full_name, id, home.line] as Array[LineEdit]:
		field.text_changed.connect(func(_text: String) -> void: _check())
	home.text_changed.connect(func(_text: String) -> void: _check())
	work.text_changed.connect(func(_text: String) -> void: _check())
	confirmed.connect(_make)


## Opens the form for a new person of a folder.
func ask(folder: String) -> void:
	_open("New Person", folder, "")


## Opens the form for a person who is like another one but for the name.
func ask_copy(of: Dictionary, folder: String) -> void:
	_open("Copy of %s" % of["name"], folder, of["file"] as String)


func _open(called: String, folder: String, copied: String) -> void:
	title = called
	_folder = folder
	_copied = copied
	_own_id = false
	for field: Control in _rest:
		field.visible = copied.is_empty()
	for line: LineEdit in [full_name, id, traits, currently, style, home.line, work.line] as Array[LineEdit]:
		line.text = ""
	identity.text = ""
	age.value = AGE
	note.visible = copied.is_empty() and not _has_town()
	home.line.placeholder_text = "a bed or a room" if _has_town() else "no home yet"
	home.set_choices(_known.list_homes())
	work.set_choices(_known.list_addresses(false) + _known.list_addresses(true))
	problem.add_theme_color_override(&"font_color", get_theme_color(&"error_color", &"Editor"))
	_check()
	reset_size()
	popup_centered()
	full_name.grab_focus()


func _add(label_text: String, field: Control, example: String = "") -> Array[Control]:
	var label := Label.new()
	label.text = label_text
	label.size_flags_vertical = (Control.SIZE_SHRINK_BEGIN if field is TextEdit else Control.SIZE_SHRINK_CENTER)
	field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	if field is LineEdit:
		(field as LineEdit).placeholder_text = example
	_grid.add_child(label)
	_grid.add_child(field)
	return [label, field]


func _on_named(text: String) -> void:
	if not _own_id:
		id.text = TextFile.make_id(text) if not text.strip_edges().is_empty() else ""


func _get_path() -> String:
	return _folder.path_join(id.text + ".yaml")


func _check() -> void:
	problem.text = _find_problem()
	get_ok_button().disabled = not problem.text.is_empty()


func _find_problem() -> String:
	if full_name.text.strip_edges().is_empty():
		return "Give the person a name."
	if id.text != TextFile.make_id(id.text):
		return "An id has lower-case letters, digits and '_', and starts with a letter."
	if FileAccess.file_exists(_get_path()) or not _known.find_person(id.text).is_empty():
		return "There is somebody with the id '%s' already. Choose another id." % id.text
	return _find_address_problem() if _copied.is_empty() else ""


func _find_address_problem() -> String:
	if home.line.text.strip_edges().is_empty() and _has_town():
		return "Choose a home: a bed or a room of the town."
	for address: String in [home.line.text, work.line.text] as Array[String]:
		var known := address.is_empty() or _known.nodes.is_empty() or _known.nodes.has(address)
		if not known and not _known.nodes.has("%s:%s" % [_known.town["id"], address]):
			return "The town file has no '%s'. Choose one from the list." % address
	return ""


## A town file that cannot be read yet is a town, too.
func _has_town() -> bool:
	return not _known.nodes.is_empty() or FileAccess.file_exists(NpcSettings.get_text(NpcSettings.TOWN))


func _make() -> void:
	made.emit(_get_path(), _copy() if not _copied.is_empty() else _write())


func _write() -> String:
	var called := full_name.text.strip_edges()
	var about := identity.text.strip_edges()
	if about.is_empty():
		about = "%s lives in %s." % [called, _known.town.get("name", "this town")]
	var words := PackedStringArray()
	for word: String in traits.text.split(",", false):
		if not word.strip_edges().is_empty():
			words.append(TextFile.quote(word.strip_edges()))
	var lines := PackedStringArray(["name: " + TextFile.quote(called), "age: %d" % int(age.value)])
	if not words.is_empty():
		lines.append("traits: [%s]" % ", ".join(words))
	lines.append("identity: " + TextFile.quote(about.replace("\n", " ")))
	if not currently.text.strip_edges().is_empty():
		lines.append("currently: " + TextFile.quote(currently.text.strip_edges()))
	lines.append_array(_write_home(called))
	if not work.line.text.strip_edges().is_empty():
		lines.append("work: " + TextFile.quote(_shorten(work.line.text)))
	if not style.text.strip_edges().is_empty():
		lines.append_array(PackedStringArray(["voice:", "  style: " + TextFile.quote(style.text.strip_edges())]))
	return "\n".join(lines) + "\n"


## Without a town, the home is made up, as [code]npc-server persona import[/code] does it.
func _write_home(called: String) -> PackedStringArray:
	var address := _shorten(home.line.text)
	if not address.is_empty():
		return ["home: " + TextFile.quote(address)]
	var why := "# Nothing says where %s lives, so this is made up: write the address of a bed or a room of your town."
	return [why % called.get_slice(" ", 0), "home: " + TextFile.quote("%s_house:bedroom:bed" % id.text)]


## A persona file may be played in a town of another id, so its addresses go without it.
func _shorten(address: String) -> String:
	return address.strip_edges().trim_prefix(str(_known.town.get("id", "")) + ":")


## The copied file with another name. The id is that of the file.
func _copy() -> String:
	var lines := FileAccess.get_file_as_string(_copied).split("\n")
	for i: int in lines.size():
		if lines[i].begins_with("name:"):
			lines[i] = "name: " + TextFile.quote(full_name.text.strip_edges())
		elif lines[i].begins_with("id:"):
			lines[i] = "id: " + id.text
	return "\n".join(Array(lines).filter(func(line: String) -> bool: return not line.begins_with("first_name:")))
