@tool
extends "res://addons/npc/editor/rows_page.gd"
## The page of offers in the form of a person: what they sell or do for a player.

const OfferRow := preload("res://addons/npc/editor/offer_row.gd")
const ABOUT := (
	"What they do for a player in a talk, such as selling goods or giving a quest. Your game gets the signal "
	+ "NpcServer.game_action_received, with the name of the offer and the values that the player chose."
)


func _init() -> void:
	var offers := FormRows.new(func() -> OfferRow: return OfferRow.new(), "Add Offer", "Add something that they do for a player.")
	super("Offers", ABOUT, offers)


## Shows a person's offers.
func show_person(values: Dictionary) -> void:
	rows.show_items(values.get("offers", []) as Array)
	take([])


## Returns what the page holds, as keys of a persona file.
func to_values() -> Dictionary:
	return {"offers": rows.to_items()}
