class_name DemoGame
extends Node
## The game in the town: a player walks about in it, talks, buys, steals, hears of it, and saves. Add [code]play.tscn[/code] to the
## tree and call [method start]; a title screen needs nothing else.

## Emitted when play begins, or goes on, in a slot.
signal started(slot: String)
## Emitted when the minds and the game have been saved.
signal saved(slot: String)
## Emitted when the game is back at what was saved.
signal loaded(slot: String)
## Emitted when the player asks for the menu and nothing else is open that Esc would close.
signal menu_requested

const TOWN := "alderwick"
const SLOT := "alderwick_play"
## Where the ferry sets the player down, in cells.
const LANDING := Vector2i(60, 78)
const FIRST_HOUR := 8.0
## Distance in metres within which the player overhears people.
const EARSHOT_M := 9.0
const KEEP_S := 20.0

## The player's name, by which the people remember the player.
var player: String = "Robin"
var slot: String = ""
var is_started: bool = false
var town: DemoTown
var avatar: DemoAvatar
var talk: DemoTalk
var hud: DemoPlayHud
var purse := DemoPurse.new()
var journal := DemoJournal.new()
var things: Array[DemoThing] = []
var trade := DemoTrade.new()
var deeds := DemoDeeds.new()
var rumour := DemoRumour.new()
var stories := DemoStories.new()
var reach := DemoReach.new()
var rest := DemoRest.new()
var input := DemoPlayInput.new()

var _offers: Dictionary[String, Array] = {}
var _keep_in_s: float = KEEP_S


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_SCENE_INSTANTIATED:
			# The scene shows the town in the editor. It enters the tree when play begins, with the town file that is played.
			town = $Town as DemoTown
			town.owner = null
			remove_child(town)
		NOTIFICATION_PREDELETE:
			if is_instance_valid(town) and town.get_parent() == null:
				town.free()


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	if get_tree().current_scene == self:
		var chosen := NpcSettings.get_text(NpcSettings.SLOT)
		start(chosen if NpcSettings.get_text(NpcSettings.TOWN).contains(TOWN) else SLOT)


## Begins or goes on with a slot. With [param fresh], whatever was in it is replaced.
func start(in_slot: String, fresh: bool = false, called: String = "Robin") -> void:
	slot = in_slot
	player = DemoTalk.clean_name(called)
	DemoControls.register()
	ProjectSettings.set_setting(NpcSettings.TOWN, "%s/%s/town.yaml" % [DemoTown.TOWNS, TOWN])
	ProjectSettings.set_setting(NpcSettings.PERSONAS, "%s/%s/personas" % [DemoTown.TOWNS, TOWN])
	_build()
	NpcServer.saved.connect(_on_saved)
	NpcServer.loaded.connect(_on_loaded)
	NpcServer.line_shown.connect(_on_line_shown)
	NpcServer.start("", "", slot)
	await _once_playing()
	if fresh:
		DemoGameSave.delete(slot)
	if fresh and NpcServer.is_playing():
		await NpcServer.new_game(slot).done()
	_begin()


## Saves the minds and the game. Whoever else calls [method NpcServerNode.save_game], such as a menu, saves both, too.
func save() -> bool:
	return await NpcServer.save_game().done()


## Goes back to what was saved: what happened since has not happened, to anybody.
func load_saved() -> bool:
	talk.close()
	hud.close_pages()
	return await NpcServer.load_game().done()


## Returns what somebody may do for the player.
func get_offers(npc_id: String) -> Array:
	return _offers.get(npc_id, [])


## Returns who is nearest to a position, awake, and not behind a wall; [code]null[/code] if nobody is within [param within] pixels.
func find_nearest_person(at: Vector2, within: float) -> DemoPerson:
	var found: DemoPerson = null
	var least := within
	for person: DemoPerson in town.people:
		var far := person.global_position.distance_to(at)
		if far < least and person.get_bed() == null and not _is_behind_wall(at, person.global_position):
			found = person
			least = far
	return found


## Returns the thing nearest to a position; [code]null[/code] if none is within [param within] pixels.
func find_nearest_thing(at: Vector2, within: float) -> DemoThing:
	var found: DemoThing = null
	var least := within
	for thing: DemoThing in things:
		var far := get_spot_of(thing).distance_to(at)
		if far < least:
			found = thing
			least = far
	return found


## Returns where a thing is.
func get_spot_of(thing: DemoThing) -> Vector2:
	var object := NpcObject.by_address("%s:%s" % [TOWN, thing.address])
	return object.global_position if object != null else Vector2.INF


## Talks to, takes or opens what is within reach.
func use() -> void:
	reach.look()
	if reach.person != null:
		talk.open(reach.person)
	elif reach.thing != null and not reach.prompt.is_empty():
		_use_thing(reach.thing)


func _process(delta: float) -> void:
	if not is_started:
		return
	avatar.dim_like(town.people[0])
	_keep_in_s -= delta
	if _keep_in_s <= 0.0:
		_keep_in_s = KEEP_S
		DemoGameSave.write(self, slot, false)


func _exit_tree() -> void:
	if is_started:
		DemoGameSave.write(self, slot, false)


func _build() -> void:
	town.is_played = true
	town.process_mode = Node.PROCESS_MODE_PAUSABLE
	add_child(town)
	town.labels.free = Rect2(8, 60, get_viewport().get_visible_rect().size.x - 16, get_viewport().get_visible_rect().size.y - 76)
	for person: DemoTownPlan.TownPerson in town.plan.people:
		_offers[person.id] = person.offers
	for row: Array in DemoThing.ALL:
		things.append(DemoThing.make(row))
	var ground := town.get_ground()
	ground.add_child(DemoWalls.make_walls(town.plan))
	ground.add_child(DemoWalls.make_furniture(town.plan))
	avatar = DemoAvatar.new()
	avatar.name = player
	ground.add_child(avatar)
	avatar.position = DemoTownPlan.get_middle(LANDING)
	town.labels.player = avatar
	avatar.set_bounds(Rect2(ground.global_position, town.plan.size * DemoTownPlan.CELL))
	DemoFurniture.zoom = avatar.get_zoom()
	var roofs := DemoRoofs.new()
	roofs.town = town
	roofs.avatar = avatar
	ground.add_child(roofs)
	for part: Node in [trade, deeds, rumour, stories, reach, rest, input] as Array[Node]:
		part.set(&"game", self)
		part.process_mode = Node.PROCESS_MODE_PAUSABLE if part != input else Node.PROCESS_MODE_ALWAYS
		add_child(part)
	stories.decorate()
	hud = DemoPlayHud.new()
	hud.game = self
	add_child(hud)
	_build_talk()
	trade.shop_opened.connect(hud.show_shop)
	trade.traded.connect(_on_traded)
	deeds.stolen.connect(_on_stolen)
	deeds.known.connect(_on_known)


func _build_talk() -> void:
	talk = DemoTalk.new()
	talk.town = town
	talk.layer = hud
	talk.player = player
	talk.has_body = true
	talk.body.free()
	talk.body = avatar
	talk.opened.connect(_on_talk_opened)
	talk.closed.connect(_on_talk_closed)
	talk.told.connect(_on_told)
	talk.heard.connect(_on_heard)
	talk.whispered.connect(_on_whispered)
	talk.panel.chosen.connect(_on_chosen)
	talk.panel.whispers_changed.connect(_suggest)
	add_child(talk)


## Waits until the save is open, or it is certain that there is no server: then everybody follows the routine.
func _once_playing() -> void:
	hud.darken("Alderwick wakes up …")
	while not NpcServer.is_playing() and not NpcServer.is_without_minds():
		await get_tree().process_frame
	hud.darken("")


## Goes on from where the slot was left, or begins anew.
func _begin() -> void:
	is_started = true
	if not DemoGameSave.read(self, slot, false) and not DemoGameSave.read(self, slot, true):
		DemoGuide.begin(journal)
		rumour.begin()
		stories.begin()
		rest.pass_until(FIRST_HOUR, DemoGuide.WELCOME)
	avatar.put(avatar.global_position)
	started.emit(slot)


func _use_thing(thing: DemoThing) -> void:
	match thing.use:
		DemoThing.Use.TAKE:
			deeds.steal(thing)
		DemoThing.Use.SEARCH:
			hud.say(rumour.search())
		DemoThing.Use.READ:
			hud.turn_to(hud.news)
		DemoThing.Use.REST:
			rest.pass_time(DemoRest.HOUR_S, "An hour passes …")
		DemoThing.Use.SLEEP:
			rest.pass_until(DemoRest.MORNING_H, "You sleep by the fire …")


# ---- what happens in a talk


func _on_talk_opened(person: DemoPerson) -> void:
	avatar.may_walk = false
	avatar.look_below(talk.panel.size.y / 2.0 / avatar.get_zoom())
	avatar.face(person.global_position)
	deeds.look_into(person.get_agent().persona_id)
	_suggest()


func _on_talk_closed() -> void:
	avatar.may_walk = true
	avatar.look_below(0.0)


func _on_chosen(choice: DemoChoice) -> void:
	if choice.leaves:
		talk.close()
		return
	if choice.line == DemoSuggestions.SORRY and deeds.pay_back(talk.person.get_agent().persona_id):
		talk.note(talk.person.get_agent().persona_id, "You pay for what you took.")
	talk.say(choice.line)


func _on_told(_npc_id: String, text: String) -> void:
	DemoGuide.on_told(journal, text)
	_suggest()


func _on_heard(npc_id: String, text: String) -> void:
	rumour.listen(npc_id, text)
	stories.listen(npc_id, text)
	_suggest()


func _on_whispered(npc_id: String, thought: String) -> void:
	stories.whispered(npc_id, thought)
	_suggest()


func _on_traded(npc_id: String, words: String) -> void:
	if talk.is_open():
		talk.note(npc_id, words)
	else:
		hud.say(words)
	_suggest()


func _on_known(npc_id: String) -> void:
	if talk.is_open() and talk.person.get_agent().persona_id == npc_id:
		talk.note(npc_id, "%s has heard what you took." % town.get_name_of(npc_id))
		_suggest()


func _suggest() -> void:
	if talk.is_open():
		talk.panel.choices.offer(DemoSuggestions.make(self, talk.person.get_agent().persona_id))


# ---- what happens in the town


func _on_stolen(thing: DemoThing, witnesses: PackedStringArray) -> void:
	var names := ", ".join(Array(witnesses).map(town.get_name_of))
	hud.say("You take the %s. %s" % [thing.ware, "Nobody saw it." if witnesses.is_empty() else names + " saw it."])


## What people near the player say to each other may be a part of the rumour, or about the player.
func _on_line_shown(npc_id: String, text: String, to: PackedStringArray, partial: bool) -> void:
	var person := town.get_person(npc_id)
	if partial or player in to or person == null or not is_started:
		return
	if person.global_position.distance_to(avatar.global_position) > EARSHOT_M * NpcServer.pixels_per_metre:
		return
	rumour.listen(npc_id, text)
	stories.listen(npc_id, text)
	if text.contains(player):
		journal.write(text, person.get_first_name())
		hud.say("%s says: “%s”" % [person.get_first_name(), text])


func _on_saved(to_slot: String) -> void:
	DemoGameSave.write(self, to_slot, true)
	DemoGameSave.write(self, slot, false)
	saved.emit(to_slot)
	hud.say("Saved.")


func _on_loaded(from_slot: String) -> void:
	if not is_started:
		return
	talk.close()
	if DemoGameSave.read(self, from_slot, true):
		loaded.emit(from_slot)
		hud.say("You are back where you saved.")


func _is_behind_wall(from: Vector2, to: Vector2) -> bool:
	var ray := PhysicsRayQueryParameters2D.create(from, to, DemoWalls.WALLS)
	return not town.get_world_2d().direct_space_state.intersect_ray(ray).is_empty()
