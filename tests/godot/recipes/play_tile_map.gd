extends Node
## Both walk to work, and Piet through the door.


func play(game: RecipePlay) -> void:
	await game.until("Gerda is at the counter", game.has_arrived.bind("gerda", "fernhill:inn:taproom:counter"))
	await game.until("Piet is at the well", game.has_arrived.bind("piet", "fernhill:inn:yard:well"))
	NpcServer.time_scale = 180.0  # half an hour, until the table, takes ten seconds
	await game.until("Piet wipes the table", game.has_arrived.bind("piet", "fernhill:inn:taproom:table"))
