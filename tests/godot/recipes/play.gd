class_name RecipePlay
extends Node
## Plays a recipe in a project of its own, and prints what came of it. The command line names the recipe.

const PATIENCE_S := 120.0

var said: Dictionary = {"failures": [], "arrived": [], "not_done": []}
var recipe: Node


func _ready() -> void:
	var recipe_name := OS.get_cmdline_user_args()[0]
	NpcServer.failed.connect(_on_failed)
	recipe = (load("res://recipes/%s/%s.tscn" % [recipe_name, recipe_name]) as PackedScene).instantiate()
	add_child(recipe)
	for agent: NpcAgent in NpcAgent.all():
		agent.arrived.connect(_on_arrived.bind(agent))
		agent.action_failed.connect(_on_action_failed)
	var player: Node = (load("res://play_%s.gd" % recipe_name) as GDScript).new()
	add_child(player)
	@warning_ignore("redundant_await")
	await player.call("play", self)
	if OS.get_cmdline_user_args().size() > 1:
		await _take_picture(OS.get_cmdline_user_args()[1])
	end()


## Prints what came of it, and ends.
func end() -> void:
	print("RESULT ", JSON.stringify(said))
	NpcServer.stop()
	get_tree().quit()


## Waits until a condition holds. If it never does, the game ends.
func until(what: String, condition: Callable) -> void:
	var last := Time.get_ticks_msec() + int(PATIENCE_S * 1000.0)
	while not condition.call():
		if Time.get_ticks_msec() > last:
			said["stuck"] = what
			end()
			last += 600_000
		await get_tree().physics_frame


## Returns [code]true[/code] once somebody has arrived at an address.
func has_arrived(npc_id: String, address: String) -> bool:
	return (said["arrived"] as Array).any(func(seen: Array) -> bool: return seen[0] == npc_id and seen[1] == address)


## Returns what a character remembers, as one text.
func get_memories(npc_id: String) -> String:
	var memories := NpcServer.call_server("MindService/ListMemories", {"npc_id": npc_id, "page_size": 200})
	await memories.done()
	return "\n".join((memories.response["memories"] as Array).map(func(memory: Dictionary) -> String: return memory["text"]))


func _take_picture(file: String) -> void:
	await RenderingServer.frame_post_draw
	get_viewport().get_texture().get_image().save_png(file)


func _on_failed(error: NpcError) -> void:
	(said["failures"] as Array).append("%s %s" % [error.reason, error.message])


func _on_arrived(action: NpcAction, agent: NpcAgent) -> void:
	(said["arrived"] as Array).append([action.npc_id, action.address, agent.get_place_address()])


func _on_action_failed(action: NpcAction, reason: String) -> void:
	(said["not_done"] as Array).append([action.npc_id, action.address, reason])
