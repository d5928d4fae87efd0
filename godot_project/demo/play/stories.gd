class_name DemoStories
extends Node
## Two stories of the town: who runs for mayor, and a party. Each begins as a thought of one person, and spreads by talk. A
## whisper of the player begins another, or ends one.

## Emitted when somebody takes up, or gives up, the thought of running for mayor.
signal candidates_changed

const HOST := "odile_wetherby"
const PARTY_THOUGHT := "I want to give a lantern party at the jetty on Tuesday 5 May from 17:00 to 19:00, and everybody is welcome."
const FIRST_CANDIDATE := "hester_vane"
const RUNS := "I am going to run for mayor of Alderwick in the election this summer."
const RUNS_NOT := "I am not going to run for mayor of Alderwick after all."
const PARTY := "party"
const PARTY_PLACE := "alderwick:riverside:jetty"
## Tuesday, 5 May 2026: from when to when the party lasts, in game time.
const PARTY_FROM_S := 1_778_000_400
const PARTY_TO_S := 1_778_007_600
const LOOK_S := 1.0

var game: DemoGame
## The ids of those who mean to run for mayor.
var candidates: Array[String] = []
## How many people were at the party with the player; -1 if the player was not there yet.
var guests: int = -1

var _look_in_s: float = LOOK_S


func _process(delta: float) -> void:
	_look_in_s -= delta
	if _look_in_s <= 0.0 and game.is_started:
		_look_in_s = LOOK_S
		_look_at_party()


## Hangs up what the party needs.
func decorate() -> void:
	var lanterns := DemoLanterns.new()
	NpcPlace.by_address(PARTY_PLACE).add_child(lanterns)


## Puts the first thoughts into two heads. For a new game.
func begin() -> void:
	NpcServer.whisper(HOST, PARTY_THOUGHT)
	NpcServer.whisper(FIRST_CANDIDATE, RUNS)
	candidates = [FIRST_CANDIDATE]


## Takes note of a thought that the player has put into somebody's head.
func whispered(npc_id: String, thought: String) -> void:
	if not thought.containsn("mayor"):
		return
	var runs := not (thought.containsn(" not ") or thought.containsn("n't") or thought.containsn("never"))
	if runs and npc_id not in candidates:
		candidates.append(npc_id)
		game.journal.write("You whispered to %s to run for mayor." % _name(npc_id))
	elif not runs and npc_id in candidates:
		candidates.erase(npc_id)
		game.journal.write("You whispered to %s not to run for mayor." % _name(npc_id))
	game.journal.reach(DemoGuide.MAYOR)
	candidates_changed.emit()


## Takes note of a line that somebody says to the player or near them.
func listen(npc_id: String, text: String) -> void:
	if text.containsn("lantern party"):
		game.journal.write(text, game.town.get_name_of(npc_id))
		game.journal.add_goal(PARTY, "Come to Odile's lantern party: at the jetty, on Tuesday from 17:00 to 19:00.")
	if text.containsn("mayor"):
		game.journal.write(text, game.town.get_name_of(npc_id))
		game.journal.add_goal(DemoGuide.MAYOR, "Somebody else might be mayor. Put the thought into a head: talk, then press Whisper.")


func is_party_time() -> bool:
	return NpcServer.game_time_s >= PARTY_FROM_S and NpcServer.game_time_s <= PARTY_TO_S


func to_save() -> Dictionary:
	return {"candidates": candidates, "guests": guests}


func from_save(saved: Dictionary) -> void:
	candidates.assign(saved.get("candidates", []) as Array)
	guests = int(saved.get("guests", -1) as float)
	candidates_changed.emit()


func _look_at_party() -> void:
	var place := NpcPlace.by_address(PARTY_PLACE)
	if guests >= 0 or not is_party_time() or place == null:
		return
	var area := Rect2(place.global_position, place.size)
	if not area.has_point(game.avatar.global_position):
		return
	guests = game.town.people.filter(func(person: DemoPerson) -> bool: return area.has_point(person.global_position)).size()
	game.journal.add_goal(PARTY, "Come to Odile's lantern party.")
	game.journal.reach(PARTY)
	game.journal.write("You came to the lantern party at the jetty, and met %d others there." % guests)


func _name(npc_id: String) -> String:
	return game.town.get_person(npc_id).get_agent().display_name
