class_name NpcError
extends RefCounted
## What went wrong: a gRPC code, a stable reason, and a sentence that says what to do.

## Canonical gRPC code: "UNAVAILABLE", "INVALID_ARGUMENT", "UNAUTHENTICATED" …
var code: String = ""
## Stable, upper case, for code to compare with: "SAVE_NOT_FOUND", "BAD_TOKEN", "NO_SERVER" …
var reason: String = ""
## For people: what failed, the value, and the fix.
var message: String = ""
## The values by name, as the server sent them.
var details: Dictionary = {}
## Whom it is about, where it is about one character; else empty.
var npc_id: String = ""


static func make(error_code: String, error_reason: String, error_message: String) -> NpcError:
	var error := NpcError.new()
	error.code = error_code
	error.reason = error_reason
	error.message = error_message
	return error


## From a `failed` event of NpcBridge.
static func from_event(event: Dictionary) -> NpcError:
	var error := make(str(event.get("code", "UNKNOWN")), str(event.get("reason", "")), str(event.get("message", "")))
	var found: Variant = event.get("details")
	if found is Dictionary:
		error.details = found
	return error


## True when trying again later can help without anybody mending something.
func is_passing() -> bool:
	return code in ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "ABORTED"] and not reason.begins_with("BRIDGE_")


func _to_string() -> String:
	return "%s (%s): %s" % [reason, code, message]
