extends Node2D
## A small game on tiles: a smith with a shop, a woman with a quest, and a man on the landing. The player walks with the arrow
## keys. E talks, T takes the sword, P pauses, the keys 1 and 2 save a slot each, and F1 and F2 load it.

const MAP: PackedStringArray = [
	"########################",
	"#.......#......#.......#",
	"#.......#......#.......#",
	"#.......#..............#",
	"#..............#.......#",
	"#.......#......#.......#",
	"#.......#......#.......#",
	"########################",
]
const SPEED := 160.0
const TALK_PX := 96.0
const SWORD := Vector2i(5, 2)

## What the player says next with E.
var line: String = ""
var has_sword: bool = false
var quests: Array[String] = []
var shopped: Array[Dictionary] = []
var replies: Array[NpcReply] = []
var failures: Array[String] = []

var _tiles := NpcTestTiles.new()
var _player := CharacterBody2D.new()
## What the game itself keeps in a slot.
var _slots: Dictionary[String, Dictionary] = {}


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	_tiles.build(MAP)
	_tiles.process_mode = Node.PROCESS_MODE_PAUSABLE
	add_child(_tiles)
	_tiles.add_place("cove:smithy", Rect2i(1, 1, 8, 6), true)
	_tiles.add_place("cove:smithy:shop", Rect2i(1, 1, 8, 6), true)
	_tiles.add_place("cove:yard", Rect2i(9, 1, 14, 6), true)
	_tiles.add_place("cove:yard:green", Rect2i(9, 1, 7, 6), true)
	_tiles.add_place("cove:yard:landing", Rect2i(16, 1, 7, 6), true)
	_tiles.add_object("cove:smithy:shop:counter", 3, 3)
	_tiles.add_object("cove:yard:green:well", 12, 2)
	_tiles.add_object("cove:yard:landing:bench", 20, 5)
	# Nobody begins where they work: each walks through a door of one tile.
	_tiles.add_person("brand", 10, 6)
	_tiles.add_person("ada", 2, 6)
	_tiles.add_person("nils", 6, 1)
	_add_player()
	NpcServer.failed.connect(_on_failed)
	NpcServer.game_action_received.connect(_on_game_action_received)
	NpcServer.loaded.connect(_on_loaded)


func _add_player() -> void:
	_player.name = "Robin"
	_player.motion_mode = CharacterBody2D.MOTION_MODE_FLOATING
	_player.position = _tiles.middle_of(6, 4)
	_player.add_to_group(NpcAgent.PLAYER_GROUP)
	var holder := CollisionShape2D.new()
	holder.shape = CircleShape2D.new()
	_player.add_child(holder)
	_tiles.add_child(_player)


func get_player_position() -> Vector2:
	return _player.position


func _physics_process(_delta: float) -> void:
	if not get_tree().paused:
		_player.velocity = Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down") * SPEED
		_player.move_and_slide()


func _unhandled_key_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if not key.pressed or key.echo:
		return
	match key.keycode:
		KEY_E:
			_talk()
		KEY_T:
			_take_sword()
		KEY_P:
			get_tree().paused = not get_tree().paused
		KEY_1, KEY_2:
			_save("slot %d" % (key.keycode - KEY_0))
		KEY_F1, KEY_F2:
			NpcServer.load_game("slot %d" % (key.keycode - KEY_F1 + 1))


func _talk() -> void:
	var nearest: NpcAgent = null
	for agent: NpcAgent in NpcAgent.all():
		var far := agent.get_body_position().distance_to(_player.position)
		if far < TALK_PX and (nearest == null or far < nearest.get_body_position().distance_to(_player.position)):
			nearest = agent
	if nearest != null:
		replies.append(NpcServer.say(nearest.persona_id, "Robin", line))


func _take_sword() -> void:
	has_sword = true
	NpcServer.player_did("Robin", "takes a sword from the counter and does not pay", _player.position)


func _save(slot: String) -> void:
	_slots[slot] = {"at": _player.position, "has_sword": has_sword, "quests": quests.duplicate()}
	NpcServer.save_game(slot)


func _on_loaded(slot: String) -> void:
	var kept := _slots[slot]
	_player.position = kept["at"]
	has_sword = kept["has_sword"]
	quests = kept["quests"]


func _on_game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary) -> void:
	if action_name == "give_quest":
		quests.append("bucket")
	else:
		shopped.append(arguments)
	NpcServer.report_game_action(npc_id, call_id, true)


func _on_failed(error: NpcError) -> void:
	failures.append("%s %s" % [error.reason, error.message])
