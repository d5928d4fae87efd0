class_name DemoTrade
extends Node
## Carries out what people choose to do for the player. They choose one of the offers in their persona file, with typed
## arguments; this moves coins and things, and reports what came of it, so that they remember it.

## Emitted when somebody shows what is for sale.
signal shop_opened(npc_id: String, wares: Dictionary[String, int])
## Emitted when something has changed hands, or could not.
signal traded(npc_id: String, words: String)

const BRAM := "bram_oakes"
const AGNES := "agnes_rook"
const EGGS := 6
const REWARD := 5
const ERRAND := "errand"

var game: DemoGame


func _ready() -> void:
	NpcServer.game_action_received.connect(_on_game_action_received)


## Buys something from somebody who shows what is for sale. They, and whoever sees it, remember it.
func buy(npc_id: String, ware: String, price: int) -> bool:
	if not game.purse.pay(price):
		traded.emit(npc_id, "You have too little for that.")
		return false
	game.purse.put(ware)
	var seller := game.town.get_person(npc_id).get_agent().display_name
	var words := "buys a %s from %s for %s" % [ware, seller, DemoPurse.crowns_text(price)]
	NpcServer.player_did(game.player, words, game.avatar.global_position)
	traded.emit(npc_id, "You buy a %s for %s." % [ware, DemoPurse.crowns_text(price)])
	game.journal.reach(DemoGuide.BUY)
	return true


func _on_game_action_received(npc_id: String, call_id: String, action_name: String, arguments: Dictionary) -> void:
	var refused := _carry_out(npc_id, action_name, arguments)
	NpcServer.report_game_action(npc_id, call_id, refused.is_empty(), refused)
	if not refused.is_empty():
		traded.emit(npc_id, "%s does not: %s." % [game.town.get_name_of(npc_id), refused])


## Returns why it did not happen; empty if it did.
func _carry_out(npc_id: String, called: String, arguments: Dictionary) -> String:
	var count := int(arguments.get("count", 1.0) as float)
	var item := str(arguments.get("item", ""))
	if game.deeds.is_owed(npc_id) and (called.begins_with(DemoOffers.SELLS) or called in ["open_shop", "give_item"]):
		return "%s has stolen from here and has not paid for it" % game.player
	if called.begins_with(DemoOffers.SELLS):
		return _sell(npc_id, called, item, count)
	match called:
		"open_shop":
			shop_opened.emit(npc_id, DemoOffers.get_wares(DemoOffers.find(game.get_offers(npc_id), called)))
		"give_item":
			game.purse.put(item, count)
			traded.emit(npc_id, "%s gives you %s." % [game.town.get_name_of(npc_id), DemoPurse.count_text(item, count)])
		"accept_quest":
			_begin_errand(npc_id, str(arguments.get("task", "")))
		"take_eggs":
			return _end_errand(npc_id)
		_:
			traded.emit(npc_id, "%s: %s" % [game.town.get_name_of(npc_id), DemoTalkLog.get_action_text(called, arguments)])
	return ""


func _sell(npc_id: String, called: String, item: String, count: int) -> String:
	var wares := DemoOffers.get_wares(DemoOffers.find(game.get_offers(npc_id), called))
	var price: int = wares.get(item, 0) * count
	if price == 0:
		return "there is no %s to sell" % item
	if not game.purse.pay(price):
		return "%s has only %s" % [game.player, DemoPurse.crowns_text(game.purse.coins)]
	game.purse.put(item, count)
	traded.emit(npc_id, "You buy %s for %s." % [DemoPurse.count_text(item, count), DemoPurse.crowns_text(price)])
	game.journal.reach(DemoGuide.BUY)
	return ""


func _begin_errand(npc_id: String, task: String) -> void:
	if npc_id == BRAM:
		game.journal.add_goal(ERRAND, "Ask Agnes Rook at the farm stall for six eggs, and bring them to Bram in the bakery.")
	else:
		game.journal.add_goal("%s_%s" % [npc_id, task], "%s would like you to %s." % [game.town.get_name_of(npc_id), task])
	traded.emit(npc_id, "%s counts on you." % game.town.get_name_of(npc_id))


func _end_errand(npc_id: String) -> String:
	if not game.journal.has_goal(ERRAND) or game.journal.has_reached(ERRAND):
		return "nobody was sent for eggs"
	if not game.purse.take("egg", EGGS):
		return "%s has only %s" % [game.player, DemoPurse.count_text("egg", game.purse.get_count("egg"))]
	game.purse.earn(REWARD)
	game.journal.reach(ERRAND)
	game.journal.write("You brought Bram six eggs, and he will not forget it.")
	NpcServer.player_did(game.player, "brings Bram Oakes six eggs from the farm, as Bram had asked", game.avatar.global_position)
	traded.emit(npc_id, "You give him %s, and get %s." % [DemoPurse.count_text("egg", EGGS), DemoPurse.crowns_text(REWARD)])
	return ""
