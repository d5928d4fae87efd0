class_name NpcRestraints
extends RefCounted
## Keeps characters from speaking, or from taking notice, as [code]NpcServer.restraints[/code].
##
## For a scripted scene, in which the game itself speaks for them. They go on with their day otherwise. An order is
## stored in its turn among all events, is in the save, and ends with a [code]false[/code] or at its time.

var _server: NpcServerNode
var _log: NpcPlayLog


func _init(server: NpcServerNode, log: NpcPlayLog) -> void:
	_server = server
	_log = log


## Keeps a character silent, or lets it speak again. It says nothing, and nobody begins a talk with it. A player's line is
## remembered and gets an empty answer. After [param for_s] game seconds it ends by itself; with 0 it does not. Returns
## the event's number.
func set_silent(npc_id: String, silent: bool, for_s: float = 0.0) -> int:
	return _restrain(npc_id, "RESTRAINT_KIND_SILENT", silent, for_s)


## Keeps a character from taking notice, or lets it notice things again. It remembers nothing of what happens meanwhile,
## reacts to nothing, and is silent. See [method set_silent].
func set_unaware(npc_id: String, unaware: bool, for_s: float = 0.0) -> int:
	return _restrain(npc_id, "RESTRAINT_KIND_UNAWARE", unaware, for_s)


func _restrain(npc_id: String, kind: String, on: bool, for_s: float) -> int:
	var until_s := ceili(_server.game_time_s + for_s) if for_s > 0.0 else 0
	return _log.add({"restraint": {"npc_id": npc_id, "kind": kind, "on": on, "until_s": until_s}})
