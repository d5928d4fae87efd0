@tool
extends VBoxContainer
## The page of offers in the form of a person: what they sell or do for a player.

## Emitted when something was changed by hand.
signal changed

const FormRows := preload("res://addons/npc/editor/form_rows.gd")
const OfferRow := preload("res://addons/npc/editor/offer_row.gd")
const RowMessages := preload("res://addons/npc/editor/row_messages.gd")
const WIDTH := 560.0
const ABOUT := (
	"What they do for a player in a talk, such as selling goods or giving a quest. Your game gets the signal "
	+ "NpcServer.game_action_received, with the name of the offer and the values that the player chose."
)

## The offers.
var rows: FormRows
## What is wrong, but with no row.
var messages := RowMessages.new()


func _init() -> void:
	name = "Offers"
	var about := Label.new()
	about.text = ABOUT
	about.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	# A label that wraps is as high as it is when narrow, unless it has a width from the start.
	for wrapped: Control in [about, messages] as Array[Control]:
		wrapped.custom_minimum_size.x = WIDTH * EditorInterface.get_editor_scale()
	add_child(about)
	add_child(messages)
	var scroll := ScrollContainer.new()
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	rows = FormRows.new(func() -> OfferRow: return OfferRow.new(), "Add Offer", "Add something that they do for a player.")
	rows.changed.connect(func() -> void: changed.emit())
	scroll.add_child(rows)
	add_child(scroll)


## Shows a person's offers.
func show_person(values: Dictionary) -> void:
	rows.show_items(values.get("offers", []) as Array)
	take([])


## Returns what the page holds, as keys of a persona file.
func to_values() -> Dictionary:
	return {"offers": rows.to_items()}


## Shows the problems of this page.
func take(problems: Array[Dictionary]) -> void:
	messages.take(rows.take(problems))
