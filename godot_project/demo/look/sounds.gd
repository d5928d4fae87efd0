class_name DemoSounds
extends Node
## The sounds of the town: steps, doors, voices, birds, crickets, the bell of the hour, and clicks in menus. They are made
## by [DemoSynth] when the scene opens, stand still with the game, and are silent where there is no window.

const VOICES := 10
## How far off a sound of the town can be heard, in pixels of the world.
const REACH := 520.0
const PANEL_VOICES := 4
## No sound is played again sooner than this, in milliseconds.
const AGAIN_MS := 45

static var _here: DemoSounds
## Kept for the next scene.
static var _made: Dictionary[StringName, AudioStreamWAV] = {}

## How often each sound was played, for tests.
var played: Dictionary[StringName, int] = {}

var _near: Array[AudioStreamPlayer2D] = []
var _flat: Array[AudioStreamPlayer] = []
var _crickets := AudioStreamPlayer.new()
var _task: int = -1
var _hour: int = -1
var _strikes: int = 0
var _strike_wait_s: float = 0.0
var _bird_wait_s: float = 2.0
var _last_ms: Dictionary[StringName, int] = {}
var _in_door: Dictionary[DemoFigure, bool] = {}


## Plays a sound everywhere alike, such as [code]&"coin"[/code]. Does nothing if no [DemoSounds] is in the scene.
static func play(sound: StringName) -> void:
	if is_instance_valid(_here):
		_here._play_flat(sound, 1.0)


## Plays a sound at a position of the world.
static func play_at(sound: StringName, at: Vector2, pitch: float = 1.0, louder_db: float = 0.0) -> void:
	if is_instance_valid(_here):
		_here._play_near(sound, at, pitch, louder_db)


func _ready() -> void:
	_here = self
	process_mode = Node.PROCESS_MODE_ALWAYS
	for i: int in VOICES:
		var player := AudioStreamPlayer2D.new()
		player.max_distance = REACH
		player.process_mode = Node.PROCESS_MODE_PAUSABLE
		add_child(player)
		_near.append(player)
	for i: int in PANEL_VOICES:
		var player := AudioStreamPlayer.new()
		add_child(player)
		_flat.append(player)
	_crickets.process_mode = Node.PROCESS_MODE_PAUSABLE
	add_child(_crickets)
	get_tree().node_added.connect(_on_node_added)
	for kind: String in ["BaseButton", "DemoFigure"] as Array[String]:
		for node: Node in get_tree().root.find_children("*", kind, true, false):
			_on_node_added(node)
	NpcServer.line_shown.connect(_on_line_shown)
	NpcServer.answer_updated.connect(func(npc_id: String, _text: String) -> void: _speak(npc_id))
	if _made.is_empty() and (DisplayServer.get_name() != "headless" or DemoTown.has_argument("sounds")):
		_task = WorkerThreadPool.add_task(func() -> void: _made.merge(DemoSynth.make_all()))


func _exit_tree() -> void:
	if _here == self:
		_here = null
	if _task >= 0:
		WorkerThreadPool.wait_for_task_completion(_task)
		_task = -1


func _process(delta: float) -> void:
	if _task >= 0:
		if not WorkerThreadPool.is_task_completed(_task):
			return
		WorkerThreadPool.wait_for_task_completion(_task)
		_task = -1
	if get_tree().paused or _made.is_empty():
		return
	_sound_hour(delta)
	var darkness := DemoDaylight.get_darkness()
	_chirp(darkness)
	_sing(delta, darkness)


## The bell strikes the hour from seven to ten; once if time flies.
func _sound_hour(delta: float) -> void:
	var hour := floori(DemoDaylight.get_shown_s() / 3600.0)
	if hour != _hour:
		var of_day := posmod(hour, 24)
		if _hour >= 0 and hour == _hour + 1 and of_day >= 7 and of_day <= 22:
			_strikes = 1 if NpcServer.time_scale > 120.0 else (of_day + 11) % 12 + 1
		_hour = hour
	_strike_wait_s -= delta
	if _strikes > 0 and _strike_wait_s <= 0.0:
		_strikes -= 1
		_strike_wait_s = 1.1
		_play_flat(&"bell", 1.0, -13.0)


func _chirp(darkness: float) -> void:
	var wanted := darkness > 0.7
	if wanted and not _crickets.playing:
		_crickets.stream = _made[&"crickets"]
		_crickets.play()
	elif _crickets.playing and darkness < 0.3:
		_crickets.stop()
	if _crickets.playing:
		_crickets.volume_db = linear_to_db(clampf(inverse_lerp(0.3, 1.0, darkness), 0.01, 1.0)) - 10.0


func _sing(delta: float, darkness: float) -> void:
	_bird_wait_s -= delta
	if _bird_wait_s > 0.0:
		return
	_bird_wait_s = randf_range(2.0, 7.0)
	if darkness < 0.3:
		_play_flat(StringName("bird%d" % randi_range(0, 2)), randf_range(0.85, 1.15), randf_range(-22.0, -12.0))


func _on_node_added(node: Node) -> void:
	if node is DemoFigure:
		(node as DemoFigure).stepped.connect(_on_stepped.bind(node))
	elif node is BaseButton:
		(node as BaseButton).pressed.connect(_play_flat.bind(&"click", 1.0, -8.0))
		(node as BaseButton).focus_entered.connect(_play_flat.bind(&"move", 1.0, -12.0))


func _on_stepped(figure: DemoFigure) -> void:
	var at := figure.global_position
	var place := NpcPlace.at(at)
	var is_inside := place != null and not place.open
	if _in_door.get(figure, is_inside) != is_inside:
		_play_near(&"door", at, randf_range(0.92, 1.08), -10.0)
	_in_door[figure] = is_inside
	_play_near(StringName("step%d" % randi_range(0, 2)), at, randf_range(0.9, 1.1) * (1.15 if is_inside else 0.9), -17.0)


func _on_line_shown(npc_id: String, _text: String, _to: PackedStringArray, _partial: bool) -> void:
	_speak(npc_id)


## A voice is a short tone. Each person has another pitch.
func _speak(npc_id: String) -> void:
	var agent := NpcAgent.by_id(npc_id)
	if agent != null and _last_ms.get(&"voice", 0) + 70 < Time.get_ticks_msec():
		_last_ms[&"voice"] = Time.get_ticks_msec()
		var pitch := 0.7 + absi(hash(npc_id)) % 100 / 100.0
		_play_near(&"blip", agent.get_body_position(), pitch * randf_range(0.94, 1.08), -9.0)


func _play_near(sound: StringName, at: Vector2, pitch: float, louder_db: float) -> void:
	if not _may_play(sound):
		return
	for player: AudioStreamPlayer2D in _near:
		if not player.playing:
			player.global_position = at
			player.stream = _made[sound]
			player.pitch_scale = pitch
			player.volume_db = louder_db
			player.play()
			return


func _play_flat(sound: StringName, pitch: float, louder_db: float = -6.0) -> void:
	if not _may_play(sound):
		return
	for player: AudioStreamPlayer in _flat:
		if not player.playing:
			player.stream = _made[sound]
			player.pitch_scale = pitch
			player.volume_db = louder_db
			player.play()
			return


func _may_play(sound: StringName) -> bool:
	if not _made.has(sound) or _last_ms.get(sound, -AGAIN_MS) + AGAIN_MS > Time.get_ticks_msec():
		return false
	_last_ms[sound] = Time.get_ticks_msec()
	played[sound] = played.get(sound, 0) + 1
	return true
