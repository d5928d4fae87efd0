extends NpcTestCase
## All texts of the demo can be read in the default window: they are large enough and do not overlap. Every action has a
## picture.

const LEAST := 10.0
## The most speech bubbles at once.
const MOST := 3

var town: DemoTown


func run() -> void:
	town = open_town()
	check(await until(func() -> bool: return town.is_node_ready()), "No town.")
	await get_tree().process_frame
	_check_sizes()
	_check_pictures()
	await _check_crowd()
	result["zoom"] = town._camera.zoom.x


func _check_sizes() -> void:
	for label: DemoLabel in town.labels._labels:
		_check_size(DemoLabel.SIZE, label, label.person.get_first_name())
	_check_size(mini(DemoNames.HOUSE, DemoNames.ROOM), town.labels._names, "places")
	var lines := town.find_children("*", "Label", true, false)
	check(lines.size() > 10, "There are no lines at the side.")
	for node: Node in lines:
		var line := node as Label
		check(line.get_theme_font_size("font_size") >= LEAST, "'%s' is too small." % line.text)
		var whole := [TextServer.OVERRUN_NO_TRIMMING, TextServer.OVERRUN_TRIM_WORD_ELLIPSIS]
		check(line.text_overrun_behavior in whole, "'%s' is cut within a word." % line.text)
	var burning := get_tree().get_first_node_in_group(NpcObject.GROUP) as DemoFurniture
	check(DemoFurniture.STATE_SIZE * burning.get_words_scale() * town._camera.zoom.x >= LEAST, "States are too small.")


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
	check(_pairs_that_touch(boxes) == 0, "What is said piles up: %s" % str(boxes))
	var names: Array[Rect2] = []
	for label: DemoLabel in town.labels._labels:
		names.append(label.get_shown_rect())
	check(_pairs_that_touch(names) == 0, "Names cover each other: %s" % str(names))
	check(await until(func() -> bool: return town.labels._bubbles.is_empty()), "What was said never goes.")


func _shown() -> Array[DemoBubble]:
	return town.labels._bubbles.filter(func(bubble: DemoBubble) -> bool: return bubble.stays and bubble.visible)


func _pairs_that_touch(boxes: Array[Rect2]) -> int:
	var found := 0
	for i: int in boxes.size():
		for j: int in i:
			found += 1 if boxes[i].intersects(boxes[j]) else 0
	return found
