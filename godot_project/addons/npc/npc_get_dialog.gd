@tool
extends AcceptDialog
## Asks where npc-server is to come from, and gets it. The plugin opens it when there is none, and from Project > Tools.

## What the dialog says first.
const WHY := "Characters think with npc-server, a program that runs beside your game. There is none here yet. Get it once for this project:"
## What it says when there is one.
const THERE := "npc-server is here: %s"
## What pip brings.
const WITH_PIP := "pip brings the server, which then makes its small models. One compares memories by meaning, another reads answers again."
## What it says at the end.
const DONE := "Done. Run your game: NpcServer.start() finds the server. Write a first person next: addons/npc/README.md."

var _getter: NpcGetter = NpcGetter.new()
var _buttons: Array[Button] = []
var _why: Label = _make_label()
var _state: Label = _make_label()
var _bar: ProgressBar = ProgressBar.new()
var _url: LineEdit = LineEdit.new()
var _sum: LineEdit = LineEdit.new()
var _files: FileDialog = FileDialog.new()


func _init() -> void:
	title = "Get npc-server"
	ok_button_text = "Close"
	var box := VBoxContainer.new()
	add_child(box)
	box.add_child(_why)
	_add_button(box, "With pip, from the internet (needs Python 3.10 or newer)", func() -> void: _getter.by_pip())
	var with_pip := _make_label()
	with_pip.text = WITH_PIP
	box.add_child(with_pip)
	_add_button(box, "From a folder of this machine...", func() -> void: _files.popup_centered(Vector2i(800, 500)))
	_url.placeholder_text = "https://... address of a bundle's zip"
	_sum.placeholder_text = "its SHA-256"
	box.add_child(_url)
	box.add_child(_sum)
	_add_button(box, "Download from this address", func() -> void: _getter.from_url(_url.text.strip_edges(), _sum.text))
	_bar.indeterminate = true
	_bar.hide()
	box.add_child(_bar)
	box.add_child(_state)
	_files.file_mode = FileDialog.FILE_MODE_OPEN_DIR
	_files.access = FileDialog.ACCESS_FILESYSTEM
	_files.dir_selected.connect(func(folder: String) -> void: _getter.from_folder(folder))
	add_child(_files)
	_getter.progressed.connect(_on_progressed)
	_getter.finished.connect(_on_finished)
	add_child(_getter)
	about_to_popup.connect(_show_what_is_there)


func _show_what_is_there() -> void:
	var program := NpcProgram.find()
	_why.text = THERE % " ".join(program.words) if program.is_found() else WHY


func _add_button(box: VBoxContainer, text: String, pressed: Callable) -> void:
	var button := Button.new()
	button.text = text
	button.pressed.connect(pressed)
	box.add_child(button)
	_buttons.append(button)


func _on_progressed(text: String, share: float) -> void:
	_state.text = text
	_bar.show()
	_bar.indeterminate = share < 0.0
	_bar.value = maxf(share, 0.0) * _bar.max_value
	for button: Button in _buttons:
		button.disabled = true


func _on_finished(error: NpcError) -> void:
	_bar.hide()
	_state.text = ("%s\n%s" % [DONE, _getter.note]).strip_edges() if error == null else error.message
	_show_what_is_there()
	for button: Button in _buttons:
		button.disabled = false


static func _make_label() -> Label:
	var label := Label.new()
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.custom_minimum_size = Vector2(560, 0)
	return label
