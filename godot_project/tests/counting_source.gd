extends "res://addons/npc/panel/source.gd"
## Asks where another source asks, and counts what comes back.

## The most memories of one answer.
var most: int = 0
## Milliseconds that each answer took.
var took_ms: Array[int] = []

var _inner: RefCounted


func _init(inner: RefCounted) -> void:
	_inner = inner


func ask(method: String, fields: Dictionary) -> NpcRequest:
	var request: NpcRequest = _inner.call("ask", method, fields)
	request.finished.connect(_on_finished.bind(request, Time.get_ticks_msec()))
	return request


func get_title() -> String:
	return _inner.call("get_title")


func get_problem() -> String:
	return _inner.call("get_problem")


func _on_finished(request: NpcRequest, began_ms: int) -> void:
	took_ms.append(Time.get_ticks_msec() - began_ms)
	most = maxi(most, (request.response.get("memories", []) as Array).size() if request.response.get("memories") is Array else 0)
