class_name NpcEvents
## Emits the events of the Play stream as signals of NpcServer.


## Emits the signal for one event. [param kind] is its field name in MindEvent.
static func emit_event(server: NpcServerNode, kind: String, value: Dictionary) -> void:
	var npc_id := str(value.get("npc_id", ""))
	match kind:
		"path_query":
			server.path_queried.emit(npc_id, str(value["query_id"]), PackedStringArray(value["addresses"] as Array))
		"speech":
			server.speech_received.emit(npc_id, str(value["text"]), PackedStringArray(value["to"] as Array), bool(value["partial"]))
		"approach":
			server.player_approached.emit(npc_id, str(value["player"]), str(value["text"]), str(value["about"]))
		"thought":
			server.thought_received.emit(npc_id, str(value["text"]), NpcAction.source_name(value["source"] as String))
		"game_action":
			var call := NpcReply.read_action(value)
			server.game_action_received.emit(npc_id, call["call_id"], call["name"], call["arguments"])
		"settled":
			server.settled.emit(value["seq"], value["next_wake_s"])
		"notice":
			var level := str(value["level"]).trim_prefix("NOTICE_LEVEL_").to_lower()
			server.notice_received.emit(level, str(value["reason"]), str(value["message"]))
