extends Node
## Gerda offers a quest. The quest addon keeps it, and its signals come back to the minds as what they know.
##
## The mind decides when to offer the quest. The quest addon decides whether it can be had, and when it is done.

## Emitted when the quest has begun, its goal is reached, or it is done.
signal quest_changed(what: String)

const QUEST_SYSTEM := "res://addons/quest_system/quest_resource.gd"
const PLAYER := "Robin"
## The minds know one thing about the quest at a time: what is added under the same key replaces it.
const KEY := "quest_firewood"
const SPEED := 160.0

## The quest, once Gerda has given it.
var quest: Resource = null

var _is_fetching: bool = false

@onready var _box: RecipeTalkBox = $TalkBox
@onready var _robin: RecipePerson = $Inn/Robin
@onready var _quests: Node = _find_quests()


func _ready() -> void:
	NpcServer.game_action_received.connect(_on_game_action_received)
	_quests.connect("quest_accepted", _on_quest_accepted)
	_quests.connect("quest_completed", _on_quest_completed)
	_box.note("Talk with Gerda: Enter. Fetch the wood: Space.")


func _unhandled_key_input(event: InputEvent) -> void:
	if event.is_action_pressed("ui_accept") and (event as InputEventKey).keycode == KEY_SPACE:
		fetch_wood()
	elif event.is_action_pressed("ui_accept"):
		say(await _box.ask("Robin", "(To Gerda)"))


## Says something to Gerda, and shows her answer. Returns it.
func say(words: String) -> String:
	if words.is_empty():
		return ""
	var reply := NpcServer.say("gerda", PLAYER, words)
	await reply.done()
	_box.note("Gerda: " + reply.text)
	return reply.text


## What the player does for the quest. Gerda sees the end of it, and the game knows that the goal is reached.
func fetch_wood() -> void:
	if quest == null or quest.get("objective_completed") or _is_fetching:
		return
	_is_fetching = true
	await _walk("fernhill:inn:yard:woodpile")
	await _walk("fernhill:inn:taproom:counter")
	_is_fetching = false
	NpcServer.player_did(PLAYER, "lays an armful of firewood beside the counter", _robin.global_position)
	quest.set("objective_completed", true)
	_quests.call("complete_quest", quest)


func _walk(address: String) -> void:
	while not _robin.walk_to(NpcAgent.by_id("gerda").get_spot_of(address) as Vector2, SPEED):
		await get_tree().physics_frame


func _on_game_action_received(npc_id: String, call_id: String, action_name: String, _arguments: Dictionary) -> void:
	if action_name != "give_quest":
		return
	if quest != null:
		var why := "the quest is done" if quest.get("objective_completed") else "Robin has the quest already"
		NpcServer.report_game_action(npc_id, call_id, false, why)
		return
	quest = _make_quest()
	_quests.call("start_quest", quest)
	NpcServer.report_game_action(npc_id, call_id, true)


func _on_quest_accepted(accepted: Resource) -> void:
	_know("Robin has promised to fetch an armful of firewood.")
	accepted.connect("objective_status_updated", _on_objective_status_updated)
	quest_changed.emit("accepted")


func _on_objective_status_updated(reached: bool) -> void:
	if reached:
		quest_changed.emit("reached")


func _on_quest_completed(_done: Resource) -> void:
	_know("Robin has fetched an armful of firewood, as promised.")
	quest_changed.emit("completed")


func _know(what: String) -> void:
	NpcServer.memories.add(what, {"npc_ids": ["gerda"]}, {"key": KEY, "importance": 8, "source_person": PLAYER})


## The addon QuestSystem, or the recipe's own list of quests.
func _find_quests() -> Node:
	var found := get_node_or_null(^"/root/QuestSystem")
	if found != null:
		return found
	var own := RecipeQuests.new()
	add_child(own)
	return own


func _make_quest() -> Resource:
	var has_addon := ResourceLoader.exists(QUEST_SYSTEM)
	var made: Resource = (load(QUEST_SYSTEM) as GDScript).new() if has_addon else RecipeQuest.new()
	made.set("quest_name", "Firewood for the inn")
	return made
