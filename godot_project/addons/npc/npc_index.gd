class_name NpcIndex
extends RefCounted
## Nodes by a key: places by address, agents by persona. Several nodes may share a key; the first one added counts.

var _lists: Dictionary[String, Array] = {}


## Adds a node under a key.
func add(key: String, node: Node) -> void:
	if not _lists.has(key):
		_lists[key] = []
	_lists[key].append(node)


## Removes a node from a key. Does nothing if it is not there.
func remove(key: String, node: Node) -> void:
	if not _lists.has(key):
		return
	_lists[key].erase(node)
	if _lists[key].is_empty():
		_lists.erase(key)


## Returns the first node of a key, or [code]null[/code].
func first(key: String) -> Node:
	return _lists[key][0] if _lists.has(key) else null


## Returns all nodes of a key. Do not change the array.
func list(key: String) -> Array:
	return _lists.get(key, [])


## Returns all keys that have a node.
func keys() -> Array[String]:
	return _lists.keys()
