class_name TourCase
extends PlayedCase
## Base of the tour: plays as slowly as somebody who is watched, and takes pictures meanwhile.

## Twice as many as are taken. Without a graphics card each takes the processor from the minds.
const DRAWN_A_SECOND := 20
## While somebody speaks: the model writes meanwhile.
const DRAWN_IN_SPEECH := 5
## For how long the player looks about before a talk.
const READS_S := 12.0
## How long a player takes for some letters. Each pause lasts a frame or two, whatever its seconds.
const KEY_S := 0.04
const LETTERS := 3
const LOOK_S := 0.5
## How far from somebody one stands in a talk, so that one sees both. In pixels.
const BESIDE := 38.0
## Where one stands then, the best side first.
const SIDES: Array[Vector2] = [Vector2(1, 0), Vector2(-1, 0), Vector2(0.7, 0.7), Vector2(-0.7, 0.7), Vector2(0, 1)]
## Tries of a walk to somebody who walks, too.
const TRIES := 4

var camera := TourCamera.new()
var answers := TourAnswers.new()


## What people do is theirs to decide, so the tour goes on after a disappointment, and reports it in "missed".
func check(good: bool, problem: String) -> void:
	if not good:
		print("TOUR ", problem)
		(result.get_or_add("missed", []) as Array).append(problem)


## Opens the title, and waits until it has looked for saves.
func begin_at_title() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	Engine.max_fps = DRAWN_A_SECOND
	camera.folder = argument("out")
	add_child(camera)
	var title: DemoTitle = (load(DemoStart.TITLE) as PackedScene).instantiate()
	get_tree().root.add_child.call_deferred(title)
	await let_frames_pass(2)
	get_tree().current_scene = title
	check(await until(func() -> bool: return title._told.text.is_empty()), "No saves are listed: " + title._told.text)
	check(_get_focused() == "New game", "The title begins at " + _get_focused())


## Waits until the title has opened the game, and the player may walk.
func enter_game() -> void:
	await until(func() -> bool: return get_tree().current_scene is DemoGame)
	game = get_tree().current_scene as DemoGame
	check(await until(func() -> bool: return game.is_started), "It never began.")
	await rest_is_over()


## Waits until the player is awake again. Nothing is drawn meanwhile.
func rest_is_over() -> void:
	RenderingServer.render_loop_enabled = false
	await super()
	RenderingServer.render_loop_enabled = true


func pause(seconds: float) -> void:
	await get_tree().create_timer(seconds).timeout


## Takes a picture once what was done last can be seen.
func picture(called: String) -> void:
	await pause(LOOK_S)
	check(await camera.take(called), "The picture %s was not written." % called)


## Walks beside somebody, around what is in the way, and begins a talk.
func walk_up_to(npc_id: String) -> void:
	for attempt: int in TRIES:
		var at := get_place_beside(npc_id)
		game.avatar.walk_to(at)
		await until(func() -> bool: return not game.avatar.is_walking_to())
		if game.avatar.global_position.distance_to(at) < BESIDE:
			break
	game.reach.look()
	if game.reach.person == game.town.get_person(npc_id):
		await press(KEY_E)
	if not game.talk.is_open():
		await talk_to(npc_id)


## Stands beside somebody where nobody else is nearer.
func go_to(npc_id: String) -> void:
	for side: Vector2 in SIDES:
		game.avatar.put(game.town.get_person(npc_id).global_position + side * BESIDE)
		await let_steps_pass(3)
		game.reach.look()
		if game.reach.person == game.town.get_person(npc_id):
			return
	await super(npc_id)


## Ends a talk. Where there is none, Esc would open the menu.
func leave_talk() -> void:
	if game.talk.is_open():
		await press(KEY_ESCAPE)


## Sends away whoever has come up, and lets nobody come up until the next talk ends.
func be_left_alone() -> void:
	await leave_talk()
	NpcServer.set_player_busy(game.player, true)


## Chooses a suggested line with the arrows and Enter, so that one can see which. Does nothing else if it is not suggested.
func pick(line: String) -> void:
	for i: int in find_suggestion(line) + 1:
		await press(KEY_DOWN)
	await pause(LOOK_S)
	await press(KEY_ENTER)


## Types a line letter by letter, and says it.
func type_slowly(text: String) -> void:
	for i: int in text.length():
		type_letter(text[i])
		if i % LETTERS == 0:
			await pause(KEY_S)
	await pause(LOOK_S)
	await press(KEY_ENTER)


## Waits for the answer, and notes who gave it. Nothing is drawn until its first word, and little until its last: a player's graphics
## card draws while the model thinks, and without one drawing takes the processor from it.
func answered() -> void:
	await _answered(false)


## Types what no rule foresees, and waits for the answer.
func wonder(text: String) -> void:
	await type_slowly(text)
	await _answered(true)


func _answered(is_free: bool) -> void:
	var reply := game.talk.reply
	if not answers.begin(reply):
		return
	RenderingServer.render_loop_enabled = false
	await until(func() -> bool: return reply.is_finished or not reply.text.is_empty())
	var first_ms := Time.get_ticks_msec()
	RenderingServer.render_loop_enabled = true
	Engine.max_fps = DRAWN_IN_SPEECH
	await super.answered()
	Engine.max_fps = DRAWN_A_SECOND
	await answers.note(game.talk, first_ms, is_free)


## Stands beside somebody and looks about for a while before the talk. Nothing is drawn meanwhile: the model reads who will speak.
func meet(npc_id: String) -> void:
	await go_to(npc_id)
	NpcServer.time_scale = DemoTalk.SLOW
	RenderingServer.render_loop_enabled = false
	await pause(READS_S)
	RenderingServer.render_loop_enabled = true
	NpcServer.time_scale = NpcSettings.get_float(NpcSettings.TIME_SCALE)
	await talk_to(npc_id)


## Says something, and waits for the answer.
func ask(text: String) -> void:
	await type(text)
	await answered()


## Lets time pass at a speed until an hour of the day comes round. Nothing is drawn meanwhile.
func pass_until(hour: float, speed: float) -> void:
	var end := NpcServer.game_time_s + fposmod(hour * 3600.0 - NpcServer.game_time_s, 86400.0)
	NpcServer.time_scale = speed
	RenderingServer.render_loop_enabled = false
	while NpcServer.game_time_s < end:
		await pause(0.2)
	RenderingServer.render_loop_enabled = true
	NpcServer.time_scale = NpcSettings.get_float(NpcSettings.TIME_SCALE)


## Stands in the middle of a cell of the town's plan.
func stand_at(cell: Vector2i) -> void:
	game.avatar.put(get_cell_middle(cell))
	await let_steps_pass(3)


func get_cell_middle(cell: Vector2i) -> Vector2:
	return game.town.get_ground_offset() + DemoTownPlan.get_middle(cell)


## Returns where one can stand at somebody's side, or where else near them.
func get_place_beside(npc_id: String) -> Vector2:
	var person := game.town.get_person(npc_id).global_position
	var best := Vector2.INF
	for side: Vector2 in SIDES:
		var wanted := person + side * BESIDE
		var found := NavigationServer2D.map_get_closest_point(game.avatar.get_world_2d().navigation_map, wanted)
		if found.distance_to(wanted) < 2.0 and not game._is_behind_wall(found, person):
			return found
		if found.distance_to(person) < best.distance_to(person):
			best = found
	return best


func _get_focused() -> String:
	var focused := get_viewport().gui_get_focus_owner() as Button
	return focused.text if focused != null else ""
