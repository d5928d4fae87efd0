class_name DemoStart
## Begins to play: chooses the town and the slot, and opens the scene.

const TITLE := "res://demo/menu/title.tscn"
const GAME := "res://demo/play/play.tscn"
const WATCH := "res://demo/town.tscn"

## If [code]true[/code], a menu has chosen the town, and the command line no longer counts.
static var is_chosen: bool = false
## If [code]true[/code], the player watches the town and does not walk in it.
static var is_watched: bool = false


## Lets the pad's A and B choose and go back. Not every version of Godot has them in its own actions.
static func add_pad() -> void:
	var meant: Dictionary[StringName, JoyButton] = {&"ui_accept": JOY_BUTTON_A, &"ui_cancel": JOY_BUTTON_B}
	for action: StringName in meant:
		var button := InputEventJoypadButton.new()
		button.button_index = meant[action]
		button.device = -1  # any pad
		if not InputMap.action_has_event(action, button):
			InputMap.action_add_event(action, button)


## Opens a town in a slot. The save is made if there is none.
static func begin(tree: SceneTree, town: String, slot: String, watch: bool) -> void:
	if NpcServer.is_playing() and NpcServer.slot != slot:
		NpcServer.stop()
	is_chosen = true
	is_watched = watch
	choose(town, slot)
	open(tree)


## Opens the scene anew: the game in its own town, and elsewhere a town to look at and talk in.
static func open(tree: SceneTree) -> void:
	tree.paused = false
	var is_its_town := NpcSettings.get_text(NpcSettings.TOWN).contains(DemoGame.TOWN)
	tree.change_scene_to_file(GAME if is_its_town and not is_watched else WATCH)


## Goes back to the title. What was not saved stays with the server, and the slot goes on from there.
static func leave(tree: SceneTree) -> void:
	NpcServer.stop()
	tree.paused = false
	tree.change_scene_to_file(TITLE)


static func choose(town: String, slot: String) -> void:
	ProjectSettings.set_setting(NpcSettings.TOWN, "%s/%s/town.yaml" % [DemoTown.TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.PERSONAS, "%s/%s/personas" % [DemoTown.TOWNS, town])
	ProjectSettings.set_setting(NpcSettings.SLOT, slot)
