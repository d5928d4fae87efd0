class_name DemoPlayInput
extends Node
## Turns keys, a pad and the mouse into what the player does.

## How often the body sets out again for somebody who has walked on meanwhile.
const TRIES := 5

var game: DemoGame

## Whom or what a click was on: it is used once the body is there.
var _meant_person: DemoPerson = null
var _meant_thing: DemoThing = null
var _tries: int = 0


func _ready() -> void:
	game.avatar.stopped.connect(_on_stopped)


func _unhandled_input(event: InputEvent) -> void:
	if not game.is_started or event.is_echo():
		return
	if event.is_action_pressed(DemoControls.MENU):
		_on_menu()
	elif game.hud.is_page_open():
		_take_on_page(event)
	elif get_tree().paused:
		return
	elif game.rest.is_resting():
		if event.is_action_pressed(DemoControls.USE):
			game.rest.wake()
	elif game.talk.is_open():
		if event.is_action_pressed(DemoControls.WHISPER):
			game.talk.panel.whispers = not game.talk.panel.whispers
	else:
		_take_in_town(event)


func _take_on_page(event: InputEvent) -> void:
	if event.is_action_pressed("ui_cancel"):
		game.hud.close_pages()
		get_viewport().set_input_as_handled()
	elif event.is_action_pressed(DemoControls.JOURNAL):
		game.hud.turn_to(game.hud.journal)
	elif event.is_action_pressed(DemoControls.NEWS):
		game.hud.turn_to(game.hud.news)


func _take_in_town(event: InputEvent) -> void:
	var button := event as InputEventMouseButton
	if event.is_action_pressed(DemoControls.USE):
		game.use()
	elif event.is_action_pressed(DemoControls.JOURNAL):
		game.hud.turn_to(game.hud.journal)
	elif event.is_action_pressed(DemoControls.NEWS):
		game.hud.turn_to(game.hud.news)
	elif event.is_action_pressed(DemoControls.SAVE):
		game.save()
	elif event.is_action_pressed(DemoControls.LOAD):
		game.load_saved()
	elif button != null and button.pressed and button.button_index == MOUSE_BUTTON_LEFT:
		_on_click(button.position)


## Closes the page that is open. Otherwise a menu that listens for the same key may open.
func _on_menu() -> void:
	if game.hud.is_page_open():
		game.hud.close_pages()
		get_viewport().set_input_as_handled()
	elif not game.menu_requested.get_connections().is_empty():
		game.menu_requested.emit()
		get_viewport().set_input_as_handled()


## Walks to what was clicked on. If it can be used, that follows.
func _on_click(screen: Vector2) -> void:
	var at := game.avatar.get_canvas_transform().affine_inverse() * screen
	_tries = 0
	_meant_person = game.town.get_person_at(screen)
	_meant_thing = game.find_nearest_thing(at, DemoTownPlan.CELL * 0.8) if _meant_person == null else null
	if _meant_person != null:
		at = _meant_person.global_position
	elif _meant_thing != null:
		at = NpcObject.by_address("%s:%s" % [DemoGame.TOWN, _meant_thing.address]).get_spot()
	game.reach.look()
	if _meant_person != null and game.reach.person == _meant_person:
		_meant_person = null
		game.use()
	else:
		game.avatar.walk_to(at)


func _on_stopped() -> void:
	if _meant_person == null and _meant_thing == null:
		return
	game.reach.look()
	if (_meant_person != null and game.reach.person == _meant_person) or (_meant_thing != null and game.reach.thing == _meant_thing):
		game.use()
	elif _meant_person != null and _tries < TRIES and DemoControls.get_steering() == Vector2.ZERO and game.avatar.may_walk:
		_tries += 1
		game.avatar.walk_to.call_deferred(_meant_person.global_position)
		return
	_meant_person = null
	_meant_thing = null
