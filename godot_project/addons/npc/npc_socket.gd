class_name NpcSocket
extends NpcTransport
## The server's socket, in GDScript alone: over TCP, TLS or a WebSocket (see [NpcAddress]). Nothing here waits: what cannot be
## sent or read now comes with the next frame.
##
## Each side sends a length in four bytes and so many bytes. The first are [code]NPC1[/code] and the token; all others are
## a value as [method @GlobalScope.var_to_bytes] writes it. The server's half is npc_server/rpc/socket_front.py.

## What the socket is doing.
enum State { CLOSED, CONNECTING, GREETING, OPEN }

## Begins the first frame. Its last letter is the version of the frames.
const MAGIC := "NPC1"
## Seconds until the server must have answered the first frame.
const CONNECT_TIMEOUT_S := 10.0
## The most events in a frame of the game.
const EVENTS_LIMIT := 512
## The longest frame of a server.
const LONGEST := 64 << 20
## Bytes that are done with are dropped when there are so many.
const DROP_AT := 1 << 20
## Commands that get an answer.
const ANSWERED: Array[String] = ["unary", "open", "check"]

var _state: State = State.CLOSED
var _peer: NpcPeer = null
var _address: NpcAddress = null
var _token: String = ""
var _connect_id: int = 0
var _deadline_ms: int = 0
## Calls that have not ended.
var _open: Dictionary[int, bool] = {}
var _out := PackedByteArray()
var _out_at: int = 0
var _in := PackedByteArray()
var _in_at: int = 0
## More frames have arrived than one frame of the game may handle.
var _has_more: bool = false


## See [method NpcTransport.push].
func push(parts: Array) -> void:
	var id: int = parts[1]
	match parts[0]:
		"connect":
			_connect_to(id, str(parts[2]), str(parts[3]), str(parts[4]))
			return
		"disconnect":
			_close()
			return
	if _state == State.CLOSED:
		_fail(id, "BRIDGE_CLOSED", "The bridge is not connected. Call connect_to first.")
		return
	var bytes := var_to_bytes(parts)
	if bytes.is_empty():
		_fail_nested(id)
		return
	if _out.size() - _out_at + bytes.size() > WAITING_LIMIT:
		_fail_full(id)
		return
	if parts[0] in ANSWERED:
		_open[id] = true
	elif parts[0] == "cancel":
		_open.erase(id)
	_add_frame(bytes)
	if _state == State.OPEN:
		_write()


## See [method NpcTransport.pull].
func pull() -> Array[Dictionary]:
	match _state:
		State.CONNECTING:
			_connect()
		State.GREETING, State.OPEN:
			_exchange()
	if _state in [State.CONNECTING, State.GREETING] and Time.get_ticks_msec() > _deadline_ms:
		_lose("No answer from %s in %d s. Start npc-server there, or correct the address." % [_address.text, int(CONNECT_TIMEOUT_S)])
	return super()


# ---- from an address to an open socket


func _connect_to(id: int, address: String, token: String, root_certificate: String) -> void:
	_close()
	_connect_id = id
	_address = NpcAddress.parse(address)
	_token = token
	var trusted: X509Certificate = null
	if not _address.problem.is_empty():
		_fail(id, "BRIDGE_INPUT", _address.problem)
		return
	if not root_certificate.is_empty():
		trusted = X509Certificate.new()
		if trusted.load_from_string(root_certificate) != OK:
			_fail(id, "BRIDGE_INPUT", "The certificate in %s is not in PEM format." % NpcSettings.CERTIFICATE)
			return
	_deadline_ms = Time.get_ticks_msec() + int(CONNECT_TIMEOUT_S * 1000.0)
	_state = State.CONNECTING
	_peer = NpcPeer.make(_address)
	_peer.open(_address, trusted)
	_connect()


func _connect() -> void:
	_peer.poll()
	match _peer.state:
		NpcPeer.State.OPEN:
			_state = State.GREETING
			var waiting := _out
			_out = PackedByteArray()
			_add_frame((MAGIC + _token).to_utf8_buffer())
			_write()
			# What was asked for meanwhile follows the first frame: who is refused is not heard.
			if _state == State.GREETING:
				_out.append_array(waiting)
		NpcPeer.State.CLOSED:
			_lose(_peer.why)


## Takes the first event, which says whether the token is right.
func _greet(event: Dictionary) -> void:
	event["id"] = _connect_id
	_own_events.append(event)
	_connect_id = 0
	if event.get("event") == "connected":
		_state = State.OPEN
	else:
		_lose(str(event.get("message", _get_cut())))


# ---- frames


func _add_frame(bytes: PackedByteArray) -> void:
	var head := PackedByteArray()
	head.resize(4)
	head.encode_u32(0, bytes.size())
	_out.append_array(head)
	_out.append_array(bytes)


func _exchange() -> void:
	_peer.poll()
	if _peer.state == NpcPeer.State.OPEN:
		_write()
	if _state != State.CLOSED:
		_read()


func _write() -> void:
	_out_at += _peer.write(_out, _out_at)
	if _out_at == _out.size():
		_out.clear()
		_out_at = 0
	elif _out_at > DROP_AT:
		_out = _out.slice(_out_at)
		_out_at = 0


func _read() -> void:
	var got := PackedByteArray() if _has_more else _peer.read()
	_in.append_array(got)
	for i: int in EVENTS_LIMIT:
		if not _take_frame():
			break
	_has_more = _has_frame()
	if _in_at == _in.size():
		_in.clear()
		_in_at = 0
	elif _in_at > DROP_AT:
		_in = _in.slice(_in_at)
		_in_at = 0
	if _state != State.CLOSED and not _has_more and got.is_empty() and _peer.state == NpcPeer.State.CLOSED:
		_lose(_get_cut())


func _has_frame() -> bool:
	return _in.size() >= _in_at + 4 and _in.size() >= _in_at + 4 + _in.decode_u32(_in_at)


func _take_frame() -> bool:
	if _state == State.CLOSED or _in.size() < _in_at + 4:
		return false
	var size := _in.decode_u32(_in_at)
	if size > LONGEST:
		_lose(_get_stranger())
		return false
	if _in.size() < _in_at + 4 + size:
		return false
	var event: Variant = bytes_to_var(_in.slice(_in_at + 4, _in_at + 4 + size))
	_in_at += 4 + size
	if event is Dictionary:
		_take(event as Dictionary)
	return true


func _take(event: Dictionary) -> void:
	if _state == State.GREETING:
		_greet(event)
		return
	var id: int = event.get("id", 0)
	if id == 0:
		_lose(str(event.get("message", _get_cut())))
		return
	if event.get("event") in ["response", "finished", "failed"]:
		_open.erase(id)
	_own_events.append(event)


# ---- the end


func _get_stranger() -> String:
	var words := "What answers at %s is not the socket of an npc-server. Its gRPC port is another one, and a server with TLS needs tls://."
	return words % _address.text


func _get_cut() -> String:
	if _state == State.GREETING:
		return _get_stranger()  # a server says why it lets somebody not in
	return "The connection to %s was cut." % _address.text


## Ends the connection. Every open call fails, and who connects again may ask again.
func _lose(why: String) -> void:
	if _connect_id != 0:
		_fail(_connect_id, "NO_SERVER", why)
	for id: int in _open:
		_fail(id, "UNAVAILABLE", why)
	_close()


func _close() -> void:
	_state = State.CLOSED
	_connect_id = 0
	if _peer != null:
		_peer.close()
	_peer = null
	_open.clear()
	_out.clear()
	_out_at = 0
	_in.clear()
	_in_at = 0
	_has_more = false
