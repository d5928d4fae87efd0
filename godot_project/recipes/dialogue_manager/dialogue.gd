extends Node
## A written scene of Dialogue Manager that hands over to free talk, and takes over again.
##
## Dialogue Manager decides what is written: lines, choices, and when the talk is free. The mind decides what Gerda says
## while it is free, and in lines whose words come at run time.

## Emitted for each line that is shown, and when free talk begins and ends.
signal went_on(what: String)

const FILE := "res://recipes/dialogue_manager/gerda.dialogue"
const PLAYER := "Robin"

## What the last [method ask] was answered. The written scene shows it with [code]{{answer}}[/code].
var answer: String = ""

@onready var _box: RecipeTalkBox = $TalkBox
@onready var _manager: Node = get_node_or_null(^"/root/DialogueManager")


func _ready() -> void:
	if _manager == null:
		_box.note("Install the addon Dialogue Manager and enable it to see this recipe: see docs/recipes.md.")
		return
	NpcServer.connected.connect(_play, CONNECT_ONE_SHOT)
	if NpcServer.is_playing():
		_play()


## Plays the written scene. In a game, load the file that Dialogue Manager has imported.
func _play() -> void:
	NpcServer.set_player_busy(PLAYER, true)  # nobody else comes up meanwhile
	var scene: Resource = _manager.call("create_resource_from_text", FileAccess.get_file_as_string(FILE))
	var line: Object = await _manager.call("get_next_dialogue_line", scene, "start", [self])
	while line != null:
		var next: String = line.get("next_id")
		var who: String = line.get("character")
		var text: String = line.get("text")
		went_on.emit(text)
		var responses: Array = line.get("responses")
		if responses.is_empty():
			await _box.tell(who, text)
		else:
			var words := PackedStringArray(responses.map(func(response: Object) -> String: return response.get("text")))
			next = (responses[await _box.choose(who, text, words)] as Object).get("next_id")
		line = await _manager.call("get_next_dialogue_line", scene, next, [self])
	NpcServer.set_player_busy(PLAYER, false)
	went_on.emit("the end")


## Called by the written scene: the player types, and the mind answers, until the player types nothing or the character has
## had enough. Then the written scene goes on.
func talk_freely(npc_id: String) -> void:
	went_on.emit("free talk")
	var who := NpcAgent.by_id(npc_id).display_name
	var heard := "(You may say anything to %s.)" % who
	while true:
		var words := await _box.ask(who, heard)
		if words.is_empty():
			break
		var reply := NpcServer.say(npc_id, PLAYER, words)
		await reply.done()
		heard = reply.text
		went_on.emit(heard)
		if reply.ended:
			await _box.tell(who, heard)
			break
	await NpcServer.end_talk(npc_id, PLAYER).done()
	went_on.emit("written again")


## Called by the written scene: puts what the mind answers into [member answer].
func ask(npc_id: String, words: String) -> void:
	var reply := NpcServer.say(npc_id, PLAYER, words)
	await reply.done()
	answer = reply.text
	await NpcServer.end_talk(npc_id, PLAYER).done()


## Called by the written scene: lets the mind know of what was said by the book.
func remember(npc_id: String, what: String) -> void:
	await NpcServer.memories.add(what, {"npc_ids": [npc_id]}, {"source_person": PLAYER}).done()
