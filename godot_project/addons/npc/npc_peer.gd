class_name NpcPeer
extends RefCounted
## The bytes to and from a server's socket. [NpcPeerTcp] needs TCP, [NpcPeerTls] encrypts it, and [NpcPeerWeb] is a WebSocket.
## Nothing here waits.

## What the connection is doing.
enum State { CONNECTING, OPEN, CLOSED }

## The most bytes that are read in a frame of the game, and that are written at once.
const PIECE := 1 << 18

## What the connection is doing.
var state: State = State.CONNECTING
## Why it is closed, if there is more to say than that it was cut; empty otherwise.
var why: String = ""


## Makes the peer for an address.
static func make(address: NpcAddress) -> NpcPeer:
	if address.is_web():
		return NpcPeerWeb.new()
	return NpcPeerTls.new() if address.is_encrypted() else NpcPeerTcp.new()


## Begins to connect. The server's certificate must be signed by one of [param trusted], or of those that the system
## trusts if that is [code]null[/code].
func open(_address: NpcAddress, _trusted: X509Certificate) -> void:
	pass


## Goes on connecting, and looks for what has arrived. Call it once per frame.
func poll() -> void:
	pass


## Sends bytes from a position on, as many as go now. Returns how many. Those that are left must come again, unchanged.
func write(_bytes: PackedByteArray, _from: int) -> int:
	return 0


## Returns what has arrived.
func read() -> PackedByteArray:
	return PackedByteArray()


## Ends the connection.
func close() -> void:
	state = State.CLOSED


func _fail(reason: String) -> void:
	close()
	why = reason


static func _tell_nobody(address: NpcAddress) -> String:
	return "Nothing answers at %s. Start npc-server there, or correct the address." % address.text


static func _tell_no_tls(address: NpcAddress) -> String:
	var words := "No encrypted connection to %s. Its certificate must be for '%s', not expired, and signed by %s. "
	words += "Or the server there has no TLS."
	var file := NpcSettings.get_text(NpcSettings.CERTIFICATE)
	return words % [address.text, address.host, file if not file.is_empty() else "an authority that this system trusts"]
