class_name NpcIndex
extends RefCounted
## Things by a key: places by address, agents by persona. Several may share a key; the first one added counts.

var _lists: Dictionary[String, Array] = {}


## Adds a thing under a key.
func add(key: String, thing: Object) -> void:
	if not _lists.has(key):
		_lists[key] = []
	_lists[key].append(thing)


## Removes a thing from a key. Does nothing if it is not there.
func remove(key: String, thing: Object) -> void:
	if not _lists.has(key):
		return
	_lists[key].erase(thing)
	if _lists[key].is_empty():
		_lists.erase(key)


## Returns the first thing of a key, or [code]null[/code].
func first(key: String) -> Object:
	return _lists[key][0] if _lists.has(key) else null


## Returns all things of a key. Do not change the array.
func list(key: String) -> Array:
	return _lists.get(key, [])


## Returns all keys that have a thing.
func keys() -> Array[String]:
	return _lists.keys()
