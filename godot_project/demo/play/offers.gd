class_name DemoOffers
## What the people of the town do for a player, read from the offers in their persona files: lines that ask for it, and
## prices, which stand in the descriptions.

const SELLS := "sell_"
## What a player says to ask for an offer. %s is the first choice of the offer.
const LINES: Dictionary[String, String] = {
	"open_shop": "What do you have for sale?",
	"accept_quest": "Is there anything I can help you with?",
	"give_item": "Could I have one %s, please?",
	"lend_book": "Could I borrow a book about %s for two weeks, please?",
	"take_order": "Could I order a %s, please?",
	"rent_room": "Could I rent the spare room for one night, please?",
	"ferry_across": "Could you row one passenger over, please?",
	"give_medicine": "Could I have some %s, please?",
}


## Returns lines with which the player asks for a person's offers, what is for sale first.
static func get_choices(offers: Array) -> Array[DemoChoice]:
	var sold: Array[DemoChoice] = []
	var others: Array[DemoChoice] = []
	for offer: Dictionary in offers:
		var called: String = offer["name"]
		var options := get_options(offer)
		if called.begins_with(SELLS):
			var wares := get_wares(offer)
			for ware: String in wares:
				sold.append(DemoChoice.new("Could I buy one %s, please?" % ware, DemoPurse.crowns_text(wares[ware])))
		elif LINES.has(called):
			var line: String = LINES[called]
			others.append(DemoChoice.new(line % options[0] if line.contains("%s") and not options.is_empty() else line))
	return sold + others


## Returns the values that the first choice of an offer may have.
static func get_options(offer: Dictionary) -> PackedStringArray:
	for parameter: Dictionary in offer["parameters"] as Array:
		if parameter["type"] == "choice":
			return PackedStringArray(parameter["options"] as Array)
	return []


## Returns the price in crowns of each thing that an offer sells. A description such as "a perch costs 2 crowns, an eel 4"
## says both, so that a language model knows the prices, too.
static func get_wares(offer: Dictionary) -> Dictionary[String, int]:
	var found: Dictionary[String, int] = {}
	var pattern := RegEx.create_from_string("\\ban? ([a-z ]+?)(?: costs)? (\\d+)\\b")
	for each: RegExMatch in pattern.search_all(str(offer["description"])):
		found[each.get_string(1)] = each.get_string(2).to_int()
	return found


## Returns an offer by name; empty if there is none.
static func find(offers: Array, called: String) -> Dictionary:
	for offer: Dictionary in offers:
		if offer["name"] == called:
			return offer
	return {}
