extends NpcTestCase
## What the panel costs the main thread in each frame, page by page, while the town lives and somebody scrolls: frames=N, hour=H.
##
## On Linux it counts the processor time of the main thread from frame to frame, with all that the engine does in it, so
## that other programs on the machine do not count. Elsewhere it counts what [NpcFrameProbe] does: wall time of scripts and
## of building draw commands.

const CountingSource := preload("res://tests/counting_source.gd")
const FPS := 60

var probe := NpcFrameProbe.new()
var panel: NpcPanel
var source: CountingSource


func run() -> void:
	Engine.max_fps = FPS
	var town := open_town()
	await get_tree().process_frame
	await play_until_hour(float(argument("hour", "9")))
	NpcServer.time_scale = 60.0
	await get_tree().create_timer(3.0).timeout
	var host := NpcPanelHost.find(self)
	host.toggle()
	panel = host.panel
	source = CountingSource.new(panel.view.source)
	panel.view.source = source
	check(await until(func() -> bool: return not panel.view.people.is_empty()), "Nobody is listed.")
	if _get_spent_usec() < 0:
		add_child(probe)
		probe.watch(town)
	var pages: Array = []
	panel.hide()
	pages.append(["closed", await _measure(func(_frame: int) -> void: pass)])
	panel.show()
	for called: String in NpcPanel.PAGES:
		panel.show_page(called)
		pages.append([called, await _measure(_use.bind(called))])
	result = {
		"godot": Engine.get_version_info()["string"],
		"memories": panel.view.people.reduce(func(sum: int, it: Dictionary) -> int: return sum + int(it["memories"]), 0),
		"pages": pages,
	}


## Does what a busy reader does: scrolls in every frame, and looks at somebody else twice a second.
func _use(frame: int, called: String) -> void:
	var page: Control = panel.pages[called]
	if frame % 30 == 0:
		panel.people.choose((frame / 30) % panel.people.rows.size())
		if called == "Recall":
			page.call("recall", "Who plays the fiddle at the mill?")
		elif called == "Reflections":
			_open_first(page.get("tree") as Tree)
	var list: Variant = page.get("list") if page.get("list") != null else page.get("plan")
	if list is Control:
		(list as Control).call("scroll_to", (frame % 30) / 30.0)


func _open_first(tree: Tree) -> void:
	var first := tree.get_root().get_first_child() if tree.get_root() != null else null
	if first != null:
		first.collapsed = false


func _measure(each_frame: Callable) -> Dictionary:
	await get_tree().create_timer(1.0).timeout
	probe.clear()
	source.most = 0
	source.took_ms.clear()
	var before := panel.view.asked
	var spent: Array[int] = []
	var last := _get_spent_usec()
	for frame: int in int(argument("frames", "600")):
		await get_tree().process_frame
		var now := _get_spent_usec()
		spent.append(now - last)
		last = now
		each_frame.call(frame)
	await get_tree().process_frame
	var costs := spent if last >= 0 else _sum_parts()
	return {"costs": costs, "calls": panel.view.asked - before, "most": source.most, "took_ms": source.took_ms.duplicate()}


## Returns the processor time of this thread so far, in microseconds, or -1 where the system does not tell.
func _get_spent_usec() -> int:
	var file := FileAccess.open("/proc/thread-self/schedstat", FileAccess.READ)
	return floori(file.get_line().get_slice(" ", 0).to_int() / 1000.0) if file != null else -1


## Returns the sums of all parts that the probe has measured, frame by frame.
func _sum_parts() -> Array[int]:
	var sums: Array[int] = []
	for part: String in probe.costs:
		var costs: Array[int] = probe.costs[part]
		for i: int in costs.size():
			if i >= sums.size():
				sums.append(0)
			sums[i] += costs[i]
	return sums
