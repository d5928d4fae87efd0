@tool
extends VBoxContainer
## The page of a person's form that says who they are.

## Emitted when something was changed by hand.
signal changed

const ChoiceField := preload("res://addons/npc/editor/choice_field.gd")
const Known := preload("res://addons/npc/editor/known.gd")
const TextFile := preload("res://addons/npc/editor/text_file.gd")
const AGE := 30
const WIDTH := 560.0
const NO_TOWN := (
	"There is no town yet, so the home may stay empty. The file gets one that is made up, with which they can talk at once. "
	+ "Once the project has a town file, choose a bed or a room of it."
)
## How the keys of a persona file are called here.
const LABELS: Dictionary[String, String] = {
	"name": "Name",
	"id": "Id",
	"age": "Age",
	"traits": "Traits",
	"identity": "Who they are",
	"currently": "News and what is on their mind",
	"voice": "Way of speaking",
	"home": "Home",
	"work": "Work",
}

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

var _known: Known
var _grid := GridContainer.new()
var _own_id: bool = false
## The fields that a copy takes from its file.
var _rest: Array[Control] = []
## What the file said; empty for a new person.
var _first: Dictionary = {}
var _has_age: bool = false


func _init(known: Known) -> void:
	name = "Person"
	_known = known
	_grid.columns = 2
	_grid.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_add("name", full_name, "Ada Finch")
	_add("id", id, "ada_finch")
	age.max_value = 100000
	_rest.append_array(_add("age", age))
	_rest.append_array(_add("traits", traits, "shy, stubborn"))
	identity.custom_minimum_size.y = 90 * EditorInterface.get_editor_scale()
	identity.wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
	identity.size_flags_vertical = Control.SIZE_EXPAND_FILL
	identity.placeholder_text = "Ada Finch mends clocks. She came from the coast two years ago."
	_rest.append_array(_add("identity", identity))
	_rest.append_array(_add("currently", currently, "Ada has heard that the mill is for sale."))
	_rest.append_array(_add("voice", style, "Few words, and dry jokes about clocks."))
	_rest.append_array(_add("home", home))
	_rest.append_array(_add("work", work))
	work.line.placeholder_text = "none"
	add_child(_grid)
	note.text = NO_TOWN
	note.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	note.custom_minimum_size.x = WIDTH * EditorInterface.get_editor_scale()
	add_child(note)
	full_name.text_changed.connect(_on_named)
	id.text_changed.connect(func(_text: String) -> void: _own_id = true)
	age.value_changed.connect(_on_aged)
	for field: LineEdit in [full_name, id, traits, currently, style] as Array[LineEdit]:
		field.text_changed.connect(func(_text: String) -> void: changed.emit())
	for field: ChoiceField in [home, work] as Array[ChoiceField]:
		field.text_changed.connect(func(_text: String) -> void: changed.emit())
	identity.text_changed.connect(func() -> void: changed.emit())


## Shows a person; an empty one is new. [param with_all] shows all fields, and [param with_id] lets one choose the id.
func show_person(values: Dictionary, with_all: bool, with_id: bool) -> void:
	_first = values
	_own_id = false
	for field: Control in _rest:
		field.visible = with_all
	full_name.text = values.get("name", "")
	id.text = values.get("id", "")
	id.editable = with_id
	id.tooltip_text = "" if with_id else "The id stays: scenes, saves and other files name the person by it."
	_has_age = values.is_empty() or values["age"] != null
	age.set_value_no_signal(values["age"] as float if not values.is_empty() and _has_age else float(AGE))
	traits.text = ", ".join(PackedStringArray(values.get("traits", []) as Array))
	identity.text = values.get("identity", "")
	currently.text = values.get("currently", "")
	style.text = values.get("style", "")
	home.line.text = _known.shorten(values.get("home", "") as String)
	work.line.text = _known.shorten(values.get("work", "") as String)
	note.visible = with_all and values.is_empty() and not _has_town()
	home.line.placeholder_text = "a bed or a room" if _has_town() else "no home yet"
	home.set_choices(_known.list_homes())
	work.set_choices(_known.list_short_addresses())


## Returns the name.
func get_called() -> String:
	return full_name.text.strip_edges()


## Returns what the page holds, as keys of a persona file.
func to_values() -> Dictionary:
	var words := Array(traits.text.split(",", false)).map(func(it: String) -> String: return it.strip_edges())
	var place := _known.shorten(work.line.text)
	return {
		"name": get_called(),
		"age": int(age.value),
		"traits": words.filter(func(it: String) -> bool: return not it.is_empty()),
		"identity": identity.text.strip_edges().replace("\n", " "),
		"currently": currently.text.strip_edges(),
		"home": _known.shorten(home.line.text),
		"work": place if not place.is_empty() else null as Variant,
		"voice": {"style": style.text.strip_edges()},
	}


## Returns what differs from the file.
func to_changed_values() -> Dictionary:
	var told := to_values()
	for key: String in ["name", "identity", "currently", "home"] as Array[String]:
		if told[key] == _first[key]:
			told.erase(key)
	if not _has_age or told["age"] == int(_first["age"] as float):
		told.erase("age")
	if told["traits"] == _first["traits"]:
		told.erase("traits")
	if str(told["work"] if told["work"] != null else "") == _first["work"]:
		told.erase("work")
	if (told["voice"] as Dictionary)["style"] == _first["style"]:
		told.erase("voice")
	return told


## Returns what is wrong, as far as the page knows it itself; empty if nothing is. [param is_taken] says whether the file of a
## new person is there already.
func find_problem(is_taken: bool, is_copy: bool) -> String:
	if get_called().is_empty():
		return "Give the person a name."
	if _first.is_empty():
		if id.text != TextFile.make_id(id.text):
			return "An id has lower-case letters, digits and '_', and starts with a letter."
		if is_taken or not _known.find_person(id.text).is_empty():
			return "There is somebody with the id '%s' already. Choose another id." % id.text
	return _find_address_problem() if not is_copy else ""


## Returns the mistakes of this page, each with the name of its field.
func take(problems: Array[Dictionary]) -> PackedStringArray:
	var told := PackedStringArray()
	for problem: Dictionary in problems:
		if not problem["is_warning"] and LABELS.has(problem["key"]):
			told.append("%s: %s %s" % [LABELS[problem["key"]], problem["what"], problem["fix"]])
	return told


func _add(key: String, field: Control, example: String = "") -> Array[Control]:
	var label := Label.new()
	label.text = LABELS[key]
	label.size_flags_vertical = (Control.SIZE_SHRINK_BEGIN if field is TextEdit else Control.SIZE_SHRINK_CENTER)
	field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	if field is LineEdit:
		(field as LineEdit).placeholder_text = example
	_grid.add_child(label)
	_grid.add_child(field)
	return [label, field]


func _on_named(text: String) -> void:
	if not _own_id and _first.is_empty():
		id.text = TextFile.make_id(text) if not text.strip_edges().is_empty() else ""


func _on_aged(_value: float) -> void:
	_has_age = true
	changed.emit()


func _find_address_problem() -> String:
	if home.line.text.strip_edges().is_empty() and (_has_town() or not _first.is_empty()):
		return "Choose a home: a bed or a room of the town."
	for address: String in [home.line.text, work.line.text] as Array[String]:
		var known := address.is_empty() or _known.nodes.is_empty() or _known.nodes.has(address)
		if not known and not _known.nodes.has(_known.lengthen(address)):
			return "The town file has no '%s'. Choose one from the list." % address
	return ""


## A town file that cannot be read yet is a town, too.
func _has_town() -> bool:
	return not _known.nodes.is_empty() or FileAccess.file_exists(NpcSettings.get_text(NpcSettings.TOWN))
