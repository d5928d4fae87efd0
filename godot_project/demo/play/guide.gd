class_name DemoGuide
## The first goals, which show a player who knows nothing what there is to do.

const TALK := "talk"
const BUY := "buy"
const NEWS := "news"
const MAYOR := "mayor"
const FIRST: Array[Array] = [
	[TALK, "Talk with somebody: walk with WASD or the stick, and press E beside them."],
	[BUY, "Buy something to eat: bread in the old mill until two, or fish on the square until noon."],
	[NEWS, "Ask somebody whether there is any news."],
]
const WELCOME := (
	"The first ferry of the day sets you down at Alderwick, with twenty crowns and nothing to do. "
	+ "Twenty-five people live here. They talk."
)


## Begins the journal of a new game.
static func begin(journal: DemoJournal) -> void:
	for goal: Array in FIRST:
		journal.goals.append({"id": goal[0], "text": goal[1], "done": false})
	journal.write(WELCOME)


## Takes note of what the player says.
static func on_told(journal: DemoJournal, text: String) -> void:
	journal.reach(TALK)
	if text.containsn("news"):
		journal.reach(NEWS)
