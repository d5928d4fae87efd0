class_name NpcNative
extends NpcTransport
## gRPC in a native library, on a thread of its own.

## The class in the native library.
const CLASS := "NpcNativeBridge"
## The message of an error while the native library is missing.
const MISSING := (
	"libnpc_bridge.so is missing. In a project, build it as docs/addon.md says, or set npc/server/transport to auto or socket. "
	+ "An exported game needs this file beside it."
)

var _native: RefCounted = null


func _init() -> void:
	if is_loaded():
		_native = ClassDB.instantiate(CLASS) as RefCounted


## Returns [code]true[/code] if the library is built, and fits this system.
static func is_loaded() -> bool:
	return ClassDB.class_exists(CLASS)


## See [method NpcTransport.is_available].
func is_available() -> bool:
	return _native != null


## See [method NpcTransport.push].
func push(parts: Array) -> void:
	if _native == null:
		_fail(parts[1] as int, "BRIDGE_MISSING", MISSING)
		return
	var bytes := var_to_bytes(parts)
	var answer: int = _native.call(&"push", bytes)
	match answer:
		0:
			pass
		-1:
			_fail_full(parts[1] as int)
		-4:
			_fail_nested(parts[1] as int)
		_:
			_fail(parts[1] as int, "BRIDGE_STOPPED", "The bridge's thread has ended. Restart the game.")


## See [method NpcTransport.pull].
func pull() -> Array[Dictionary]:
	var events := super()
	if _native == null:
		return events
	var bytes: PackedByteArray = _native.call(&"pull")
	if bytes.is_empty():
		return events
	var found: Variant = bytes_to_var(bytes)
	if found is Array:
		for event: Variant in found as Array:
			if event is Dictionary:
				events.append(event)
	return events
