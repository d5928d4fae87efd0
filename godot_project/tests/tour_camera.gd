class_name TourCamera
extends Node
## Takes pictures of what a player sees, and frames for an animation of it. It draws nothing itself.

const FRAMES_A_SECOND := 10.0

## Where the files go.
var folder: String
## The clips so far, in order. Each has "name", "caption", and "frames": pairs of a file and its time in milliseconds.
var clips: Array[Dictionary] = []

var _images: Array[Image] = []
var _times: Array[int] = []
var _next_ms: int = 0
var _is_rolling: bool = false
var _tasks: Array[int] = []


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	DirAccess.make_dir_recursive_absolute(folder)
	RenderingServer.frame_post_draw.connect(_on_drawn)


func _exit_tree() -> void:
	RenderingServer.frame_post_draw.disconnect(_on_drawn)


## Takes one picture. Returns [code]true[/code] if it was written.
func take(called: String) -> bool:
	await RenderingServer.frame_post_draw
	return _get_image().save_png(folder.path_join(called + ".png")) == OK


## Begins a clip of the animation, with the words that stand below it.
func roll(called: String, caption: String) -> void:
	cut()
	clips.append({"name": called, "caption": caption, "frames": []})
	_next_ms = 0
	_is_rolling = true


## Ends the clip. Its frames are written on another thread, so that the game goes on meanwhile.
func cut() -> void:
	if not _is_rolling:
		return
	_is_rolling = false
	_times.append(Time.get_ticks_msec())
	var files: PackedStringArray = []
	for i: int in _images.size():
		files.append("%02d_%s_%03d.png" % [clips.size(), clips[-1]["name"], i])
		(clips[-1]["frames"] as Array).append([files[i], _times[i + 1] - _times[i]])
	_tasks.append(WorkerThreadPool.add_task(_write.bind(_images.duplicate(), files)))
	_images.clear()
	_times.clear()


## Waits until all frames are written, and writes what is in which clip into clips.json.
func finish() -> bool:
	cut()
	for task: int in _tasks:
		WorkerThreadPool.wait_for_task_completion(task)
	var file := FileAccess.open(folder.path_join("clips.json"), FileAccess.WRITE)
	return file != null and file.store_string(JSON.stringify(clips))


func _on_drawn() -> void:
	var now := Time.get_ticks_msec()
	if not _is_rolling or now < _next_ms:
		return
	_next_ms = now + int(1000.0 / FRAMES_A_SECOND)
	_images.append(_get_image())
	_times.append(now)


func _get_image() -> Image:
	var image := get_viewport().get_texture().get_image()
	image.convert(Image.FORMAT_RGB8)
	return image


func _write(images: Array, files: PackedStringArray) -> void:
	for i: int in images.size():
		(images[i] as Image).save_png(folder.path_join(files[i]))
