class_name DemoShopPage
extends DemoPage
## What somebody sells, and for how much.

const WIDE := 620.0
const HIGH := 420.0
## What the drawings of the things are called.
const PICTURES: Dictionary[String, String] = {
	"lantern": "flame",
	"ball of string": "thread",
	"candle": "candle",
	"tin of biscuits": "box",
	"meat pie": "plate",
	"bowl of soup": "pan",
	"mug of ale": "mug",
}

var game: DemoGame

var _npc_id: String
var _wares: Dictionary[String, int] = {}
var _head: Label
var _column: VBoxContainer
var _purse: Label
var _buttons: Array[Button] = []


func _ready() -> void:
	super()
	place(WIDE, HIGH)
	add_title("For sale", "1 to 4 buys, Esc closes it")
	_head = add_text(_rows, "", 16, FADED)
	_column = add_column(_rows, 8)
	add_rule(_rows)
	_purse = add_text(_rows, "", 16)
	game.purse.changed.connect(_write)


## Shows what somebody sells.
func show_wares(npc_id: String, wares: Dictionary[String, int]) -> void:
	_npc_id = npc_id
	_wares = wares
	clear(_column)
	_buttons.clear()
	for ware: String in wares:
		_add_ware(ware)
	_write()
	open()
	if not _buttons.is_empty():
		_buttons[0].grab_focus()


## Buys by the place in the list.
func buy(at: int) -> void:
	if at >= 0 and at < _wares.size():
		var ware: String = _wares.keys()[at]
		game.trade.buy(_npc_id, ware, _wares[ware])


func _input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if visible and key != null and key.pressed and not key.echo and key.keycode >= KEY_1 and key.keycode < KEY_1 + _wares.size():
		buy(key.keycode - KEY_1)
		get_viewport().set_input_as_handled()


func _write() -> void:
	if _npc_id.is_empty():
		return
	_head.text = "%s lays it out for you." % game.town.get_person(_npc_id).get_agent().display_name
	var things := game.purse.get_text()
	_purse.text = "You have %s%s" % [DemoPurse.crowns_text(game.purse.coins), " and " + things if not things.is_empty() else ""]
	for i: int in _buttons.size():
		_buttons[i].disabled = _wares[_wares.keys()[i]] > game.purse.coins


func _add_ware(ware: String) -> void:
	var row := HBoxContainer.new()
	row.add_theme_constant_override("separation", 14)
	_column.add_child(row)
	var picture := Control.new()
	picture.custom_minimum_size = Vector2(40, 40)
	var drawn: String = PICTURES.get(ware, "box")
	picture.draw.connect(func() -> void: DemoPicture.draw(picture, Vector2(20, 20), drawn, 2.0))
	row.add_child(picture)
	var words := add_text(
		row, "%d   %s" % [_buttons.size() + 1, ware.capitalize() if not ware.contains(" ") else ware[0].to_upper() + ware.substr(1)], 18
	)
	words.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	words.size_flags_vertical = Control.SIZE_FILL
	var button := Button.new()
	button.text = DemoPurse.crowns_text(_wares[ware])
	button.custom_minimum_size = Vector2(130, 40)
	DemoTextSize.hold(button, 16)
	button.pressed.connect(buy.bind(_buttons.size()))
	row.add_child(button)
	_buttons.append(button)
