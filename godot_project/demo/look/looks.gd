class_name DemoLooks
## How people can be told apart from far off: hair, hat, clothes and height.

## Hair and what is on it, clothes, and height. People who are not listed get a look by their id.
const OF_PEOPLE: Dictionary[String, Array] = {
	"mara_voss": ["bun", "scarf", "apron", 1.0],
	"tobin_hale": ["bald beard", "", "vest", 1.04],
	"ines_calder": ["long", "straw", "dress", 0.98],
	"agnes_rook": ["bun", "straw", "apron", 1.0],
	"ambrose_tull": ["bald", "", "robe", 1.02],
	"biddy_corrigan": ["curly", "scarf", "apron", 0.98],
	"bram_oakes": ["short beard", "cap", "apron", 1.06],
	"callum_reyes": ["curly", "", "vest", 1.03],
	"constance_lyle": ["bun", "", "dress", 0.98],
	"dorothea_penhallow": ["bun", "scarf", "dress", 0.9],
	"edwin_marsh": ["short", "hat", "coat", 1.04],
	"felix_penhallow": ["short", "cap", "vest", 0.96],
	"gwen_penhallow": ["long", "", "coat", 1.0],
	"hester_vane": ["ponytail", "", "apron", 1.05],
	"ingrid_solheim": ["long", "", "vest", 1.03],
	"julian_ashdown": ["short", "", "coat", 1.05],
	"junia_penhallow": ["ponytail", "", "dress", 0.84],
	"linnet_vane": ["long", "straw", "dress", 0.95],
	"lorcan_corrigan": ["bald beard", "", "apron", 1.07],
	"marcus_penhallow": ["short", "", "vest", 1.04],
	"noor_haddad": ["long", "scarf", "coat", 0.97],
	"odile_wetherby": ["bun", "hat", "coat", 0.96],
	"priya_oakes": ["ponytail", "", "dress", 0.97],
	"rufus_blackwood": ["short beard", "cap", "vest", 1.08],
	"silas_wetherby": ["short beard", "hat", "coat", 1.0],
	"tomasz_zielinski": ["short", "", "apron", 1.05],
	"wilf_rook": ["bald beard", "straw", "vest", 0.94],
	"yewande_adeyemi": ["curly", "", "coat", 1.02],
	"": ["short", "", "coat", 1.0],
}
const HAIRS: Array[String] = ["short", "long", "bun", "curly", "ponytail"]
const HATS: Array[String] = ["", "", "cap", "straw"]
const CLOTHES: Array[String] = ["coat", "vest", "apron", "dress"]

var hair: String = ""
var hat: String = ""
var clothes: String = ""
var height: float = 1.0


## Returns the look of a person.
static func of(id: String) -> DemoLooks:
	var found := DemoLooks.new()
	var number := absi(hash(id))
	var told: Array = OF_PEOPLE.get(id, [])
	if told.is_empty():
		told = [
			HAIRS[number % HAIRS.size()], HATS[number / 7 % HATS.size()], CLOTHES[number / 31 % CLOTHES.size()], 0.95 + number % 13 * 0.01
		]
	found.hair = told[0]
	found.hat = told[1]
	found.clothes = told[2]
	found.height = told[3]
	return found


## Returns [code]true[/code] for people in a long skirt, whose legs hardly show.
func has_skirt() -> bool:
	return clothes in ["dress", "robe"]
