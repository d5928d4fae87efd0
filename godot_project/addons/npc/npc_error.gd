class_name NpcError
extends RefCounted
## An error: a gRPC code, a stable reason, and a message that says what to do.

## The gRPC code, such as "UNAVAILABLE" or "INVALID_ARGUMENT".
var code: String = ""
## The reason to compare with in code, such as "SAVE_NOT_FOUND" or "NO_SERVER". It never changes between versions.
var reason: String = ""
## The message for people: what failed, the value, and the fix.
var message: String = ""
## The values that the server sent with the error, by name.
var details: Dictionary = {}
## The id of the character concerned; empty if it does not concern one.
var npc_id: String = ""


## Makes an error.
static func make(error_code: String, error_reason: String, error_message: String) -> NpcError:
	var error := NpcError.new()
	error.code = error_code
	error.reason = error_reason
	error.message = error_message
	return error


## Makes an error from a [code]failed[/code] event of [NpcBridge].
static func from_event(event: Dictionary) -> NpcError:
	var error := make(str(event.get("code", "UNKNOWN")), str(event.get("reason", "")), str(event.get("message", "")))
	var found: Variant = event.get("details")
	if found is Dictionary:
		error.details = found
	return error


## Returns [code]true[/code] if a later attempt may succeed without a fix by anybody.
func is_temporary() -> bool:
	return code in ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "ABORTED"] and not reason.begins_with("BRIDGE_")


func _to_string() -> String:
	return "%s (%s): %s" % [reason, code, message]
