extends NpcTestCase
## All texts of the demo can be read in the default window, and are so: they are large enough, and cover neither each other
## nor people. Every action has a picture. text=largest plays with this setting.

const LEAST := 14.0
## The most speech bubbles at once.
const MOST := 3

var town: DemoTown
## How many layouts were checked.
var watched: int = 0

var _touching: String = ""


## Looks at each layout right after it was made.
class Watcher:
	extends Node

	var look: Callable

	func _ready() -> void:
		process_priority = 1000

	func _process(_delta: float) -> void:
		look.call()


func run() -> void:
	DemoSettings.change("text", argument("text", "normal"))
	town = open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "No town.")
	await get_tree().process_frame
	_check_sizes()
	_check_pictures()
	await _check_what_is_so()
	await _check_crowd()
	await _check_walkers()
	result["zoom"] = town._camera.zoom.x


func _check_sizes() -> void:
	for label: DemoLabel in town.labels._labels:
		_check_size(DemoLabel.SIZE, label, label.person.get_first_name())
	_check_size(DemoSign.SIZE, town.labels._names, "places")
	var lines := town.find_children("*", "Label", true, false)
	check(lines.size() > 10, "There are no lines at the side.")
	for node: Node in lines:
		var line := node as Label
		check(line.get_theme_font_size("font_size") >= LEAST, "'%s' is too small." % line.text)
		var whole := [TextServer.OVERRUN_NO_TRIMMING, TextServer.OVERRUN_TRIM_WORD_ELLIPSIS]
		check(line.text_overrun_behavior in whole, "'%s' is cut within a word." % line.text)
	var burning := get_tree().get_first_node_in_group(NpcObject.GROUP) as DemoFurniture
	check(DemoFurniture.STATE_SIZE * burning.get_words_scale() * town._camera.zoom.x > LEAST - 0.1, "States are too small.")


func _check_size(size: int, item: CanvasItem, called: String) -> void:
	var shown := size * item.get_global_transform_with_canvas().get_scale().x
	check(shown >= LEAST, "The name of %s is %.1f px high." % [called, shown])


func _check_pictures() -> void:
	for table: Dictionary in [DemoPictures.OF_ACTIONS, DemoPictures.OF_KINDS, DemoPictures.OF_EMOJI] as Array[Dictionary]:
		for key: String in table:
			check(DemoPicture.SHAPES.has(table[key]), "There is no picture '%s' for %s." % [table[key], key])
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		check(DemoPictures.OF_KINDS.has((node as DemoFurniture).kind), "There is no picture for a %s." % (node as DemoFurniture).kind)


## Everybody stands in one place and speaks. Those nearest to the middle have bubbles, and no bubbles or names overlap.
func _check_crowd() -> void:
	var middle := get_viewport().canvas_transform.affine_inverse() * DemoCamera.WINDOW.get_center()
	for i: int in town.people.size():
		town.people[i].global_position = middle + Vector2(i % 5, floorf(i / 5.0)) * 20.0 / town._camera.zoom.x
	await until(func() -> bool: return town.labels._is_settled)
	for i: int in town.people.size():
		var id := town.people[i].get_agent().persona_id
		NpcServer.speech_received.emit(
			id, "Somebody has left the gate open, and the goats are in the beans again.", PackedStringArray(), false
		)
	check(await until(func() -> bool: return town.labels.count_bubbles() > 0), "Nobody is heard.")
	await until(func() -> bool: return town.labels._is_settled and _shown().size() <= MOST)
	var boxes: Array[Rect2] = []
	for bubble: DemoBubble in _shown():
		boxes.append(Rect2(bubble.position, bubble.box))
	check(not boxes.is_empty() and boxes.size() <= MOST, "%d are heard." % boxes.size())
	_check_apart()
	check(problems.is_empty() or watched > 0, "Nothing is shown.")
	check(await until(func() -> bool: return town.labels._bubbles.is_empty()), "What was said never goes.")


func _shown() -> Array[DemoBubble]:
	return town.labels._bubbles.filter(func(bubble: DemoBubble) -> bool: return bubble.stays and bubble.visible)


## Everybody is sent through the town, and speaks. In no frame does a text cover another or somebody.
func _check_walkers() -> void:
	NpcServer.time_scale = 900.0
	var places := get_tree().get_nodes_in_group(NpcPlace.GROUP).filter(
		func(place: NpcPlace) -> bool: return place.open and place.address.count(":") == 2
	)
	await let_steps_pass(2)
	for i: int in town.people.size():
		var agent := town.people[i].get_agent()
		var action := make_action(agent, {"action_id": "walk", "address": (places[i % places.size()] as NpcPlace).address})
		action.end_s = int(NpcServer.game_time_s) + 86_000
		NpcServer.action_received.emit(agent.persona_id, action)
	check(await until(func() -> bool: return town.people.any(func(it: DemoPerson) -> bool: return it.is_walking())), "Nobody walks.")
	var watcher := Watcher.new()
	watcher.look = _check_apart
	add_child(watcher)
	for i: int in 12:
		NpcServer.speech_received.emit(
			town.people[i % town.people.size()].get_agent().persona_id, "Has anybody seen the goats?", PackedStringArray(), false
		)
		await let_frames_pass(15)
	watcher.free()
	check(watched > 100, "Only %d layouts were checked." % watched)
	var shown := town.labels._labels.filter(func(label: DemoLabel) -> bool: return label.visible).size()
	check(shown == town.people.size(), "Only %d of %d names are shown." % [shown, town.people.size()])


## Names of people, houses and rooms, and what is said, cover neither each other nor people, and none is cut off.
func _check_apart() -> void:
	watched += 1
	var texts := town.labels._names.get_shown_rects()
	var people: Array[Rect2] = []
	for label: DemoLabel in town.labels._labels:
		people.append(get_viewport().canvas_transform * label.person.get_area())
		if label.visible:
			texts.append(label.get_shown_rect())
	for bubble: DemoBubble in _shown():
		texts.append(Rect2(bubble.position, bubble.box))
	if not problems.is_empty():
		return
	check(_pairs_that_touch(texts) == 0, "Texts cover each other: %s" % _touching)
	for text: Rect2 in texts:
		check(DemoCamera.WINDOW.grow(8.0).encloses(text), "%s is cut off." % text)
		for person: Rect2 in people:
			check(not text.grow(-1.0).intersects(person), "The text at %s covers somebody at %s." % [text, person])


## Somebody on the way to an object does not do yet what they go there for. Afterwards they no longer do it.
func _check_what_is_so() -> void:
	var hud: DemoHud = town.find_children("*", "DemoHud", false, false)[0]
	var baker := town.people[0]
	var agent := baker.get_agent()
	await until(agent.can_find_paths)
	NpcServer.game_time_s = 1_777_852_800.0 + 36_000.0
	var address := ""
	for node: Node in get_tree().get_nodes_in_group(NpcObject.GROUP):
		var object := node as DemoFurniture
		if NpcPlace.by_address(object.get_place_address()).open and object.position.distance_to(baker.position) > 300.0:
			address = object.address
	var action := make_action(agent, {"action_id": "bake", "address": address})
	action.sentence = "X is baking the first loaves"
	action.end_s = int(NpcServer.game_time_s) + 1800
	NpcServer.action_received.emit(agent.persona_id, action)
	NpcServer.time_scale = 1.0
	check(await until(baker.is_walking), "Nobody walks.")
	await let_frames_pass(2)
	check(not baker.get_line().contains("baking"), "On the way it is said: %s" % baker.get_line())
	check(baker.get_line().begins_with("is going to"), "On the way it is said: %s" % baker.get_line())
	check(not _side_text().contains("until") and not _side_text().contains("is baking"), "On the way stands: " + _side_text())
	check(hud._feed.is_empty(), "Lately stands what is still to come: %s" % str(hud._feed))
	agent.walk_speed = 3000.0
	check(await until(func() -> bool: return agent.doing == NpcAgent.Doing.ACTING), "The baker does not arrive.")
	await let_frames_pass(2)
	check(baker.get_line() == "is baking the first loaves", "There it is said: %s" % baker.get_line())
	check(hud._feed[0].contains("is baking"), "Lately does not tell it: %s" % str(hud._feed))
	NpcServer.game_time_s += 2000.0
	await let_steps_pass(2)
	await let_frames_pass(2)
	check(not _side_text().contains("until"), "Afterwards stands: " + _side_text())
	check(await until(func() -> bool: return baker.get_line() == "is standing there"), "Long afterwards: " + baker.get_line())
	check(baker.get_picture() == "dots", "Long afterwards the picture is still of baking.")
	agent._runner.forget()


## Returns what the cards or rows at the side say.
func _side_text() -> String:
	var found := ""
	for card: Node in town.find_children("*", "DemoCard", true, false):
		for line: Node in card.get_children():
			found += (line as Label).text + " / "
	return found


func _pairs_that_touch(boxes: Array[Rect2]) -> int:
	var found := 0
	for i: int in boxes.size():
		for j: int in i:
			if boxes[i].grow(-0.5).intersects(boxes[j]):
				found += 1
				_touching = "%s and %s" % [boxes[i], boxes[j]]
	return found
