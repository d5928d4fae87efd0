class_name NpcPeerWeb
extends NpcPeer
## The bytes of a WebSocket, which is all that a browser opens. They come in messages of any length.

## What may arrive between two frames of the game. A browser cannot be told to wait.
const INBOUND := 8 << 20
## The most messages that may arrive between two frames.
const MESSAGES := 1 << 13
## A message of a game. The server takes four times as much.
const OUTBOUND := PIECE * 2

var _address: NpcAddress = null
var _socket := WebSocketPeer.new()


## See [method NpcPeer.open].
func open(address: NpcAddress, trusted: X509Certificate) -> void:
	_address = address
	_socket.inbound_buffer_size = INBOUND
	_socket.outbound_buffer_size = OUTBOUND
	_socket.max_queued_packets = MESSAGES
	if _socket.connect_to_url(address.text, TLSOptions.client(trusted) if address.is_encrypted() else null) != OK:
		_fail(_tell_nobody(address))


## See [method NpcPeer.poll].
func poll() -> void:
	if state == State.CLOSED:
		return
	_socket.poll()
	match _socket.get_ready_state():
		WebSocketPeer.STATE_OPEN:
			if state == State.CONNECTING:
				_socket.set_no_delay(true)
				state = State.OPEN
		WebSocketPeer.STATE_CLOSED:
			_fail(_tell_nobody_here() if state == State.CONNECTING else "")


## See [method NpcPeer.write].
func write(bytes: PackedByteArray, from: int) -> int:
	var at := from
	while at < bytes.size() and _socket.get_current_outbound_buffered_amount() == 0:
		var piece := bytes.slice(at, at + PIECE)
		if _socket.send(piece) != OK:
			_fail("")
			break
		at += piece.size()
	return at - from


## See [method NpcPeer.read].
func read() -> PackedByteArray:
	var found := PackedByteArray()
	while found.size() < PIECE and _socket.get_available_packet_count() > 0:
		found.append_array(_socket.get_packet())
	return found


## See [method NpcPeer.close].
func close() -> void:
	super()
	_socket.close()
	_socket.poll()  # sends what it says at the end


func _tell_nobody_here() -> String:
	var words := "No WebSocket at %s. npc-server opens one there with server.websocket = true." % _address.text
	return words + (" " + _tell_no_tls(_address) if _address.is_encrypted() else "")
