class_name NpcPeerTls
extends NpcPeerTcp
## The bytes of a TCP connection that is encrypted. The server's certificate is checked.

## The most bytes in a record of TLS.
const RECORD := 1 << 14

var _tls := StreamPeerTLS.new()
var _trusted: X509Certificate = null
## The bytes of a record that TLS has taken and could not send. It must be given the same ones again.
var _kept: int = 0
var _shakes_hands: bool = false


## See [method NpcPeer.open].
func open(address: NpcAddress, trusted: X509Certificate) -> void:
	_trusted = trusted
	super(address, trusted)


## See [method NpcPeer.poll].
func poll() -> void:
	if state == State.CLOSED:
		return
	if not _shakes_hands:
		super()
		if state != State.OPEN:
			return
		state = State.CONNECTING
		_shakes_hands = true
		_tls.connect_to_stream(_tcp, _address.host, TLSOptions.client(_trusted))
	elif _tls.get_status() in [StreamPeerTLS.STATUS_CONNECTED, StreamPeerTLS.STATUS_HANDSHAKING]:
		_tls.poll()
	match _tls.get_status():
		StreamPeerTLS.STATUS_HANDSHAKING:
			pass
		StreamPeerTLS.STATUS_CONNECTED:
			state = State.OPEN
		_:
			_fail(_tell_no_tls(_address) if state == State.CONNECTING else "")


## See [method NpcPeer.write].
func write(bytes: PackedByteArray, from: int) -> int:
	var at := from
	while at < bytes.size():
		var size := _kept if _kept > 0 else mini(RECORD, bytes.size() - at)
		var sent: Array = _tls.put_partial_data(bytes.slice(at, at + size))
		if sent[0] != OK:
			_fail("")
			break
		var count: int = sent[1]
		_kept = size if count == 0 else 0
		if count == 0:
			break
		at += count
	return at - from


## See [method NpcPeer.read].
func read() -> PackedByteArray:
	var found := PackedByteArray()
	while found.size() < PIECE and _tls.get_status() == StreamPeerTLS.STATUS_CONNECTED:
		var available := _tls.get_available_bytes()
		if available <= 0:
			break
		var got: Array = _tls.get_partial_data(available)
		found.append_array(got[1] as PackedByteArray)
		if _tls.get_status() == StreamPeerTLS.STATUS_CONNECTED:
			_tls.poll()  # the next record
	return found


## See [method NpcPeer.close].
func close() -> void:
	_tls.disconnect_from_stream()
	super()
