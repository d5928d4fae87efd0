class_name NpcIndex
extends RefCounted
## Nodes by a word: places by address, agents by persona. Several may share one; the first that came goes first.

var _lists: Dictionary[String, Array] = {}


## Adds a node under a word.
func add(key: String, node: Node) -> void:
	if not _lists.has(key):
		_lists[key] = []
	_lists[key].append(node)


## Takes a node away from a word; harmless when it is not there.
func remove(key: String, node: Node) -> void:
	if not _lists.has(key):
		return
	_lists[key].erase(node)
	if _lists[key].is_empty():
		_lists.erase(key)


## The first node under a word, or null.
func first(key: String) -> Node:
	return _lists[key][0] if _lists.has(key) else null


## All nodes under a word. Not a copy.
func list(key: String) -> Array:
	return _lists.get(key, [])


## All words that have a node.
func keys() -> Array[String]:
	return _lists.keys()
