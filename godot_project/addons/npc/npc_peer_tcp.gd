class_name NpcPeerTcp
extends NpcPeer
## The bytes of a TCP connection.

var _address: NpcAddress = null
var _tcp := StreamPeerTCP.new()
var _query: int = IP.RESOLVER_INVALID_ID
var _has_begun: bool = false


## See [method NpcPeer.open].
func open(address: NpcAddress, _trusted: X509Certificate) -> void:
	_address = address
	var host := "127.0.0.1" if address.host == "localhost" else address.host
	if host.is_valid_ip_address():
		_begin(host)
	else:
		_query = IP.resolve_hostname_queue_item(host)


## See [method NpcPeer.poll].
func poll() -> void:
	if state == State.CLOSED:
		return
	if not _has_begun:
		_resolve()
		return
	_tcp.poll()
	match _tcp.get_status():
		StreamPeerTCP.STATUS_CONNECTED:
			if state == State.CONNECTING:
				_tcp.set_no_delay(true)
				state = State.OPEN
		StreamPeerTCP.STATUS_ERROR, StreamPeerTCP.STATUS_NONE:
			_fail(_tell_nobody(_address) if state == State.CONNECTING else "")


## See [method NpcPeer.write].
func write(bytes: PackedByteArray, from: int) -> int:
	var at := from
	while at < bytes.size():
		var is_whole := at == 0 and bytes.size() <= PIECE
		var sent: Array = _tcp.put_partial_data(bytes if is_whole else bytes.slice(at, at + PIECE))
		if sent[0] != OK:
			_fail("")
			break
		at += sent[1] as int
		if sent[1] as int < PIECE:
			break
	return at - from


## See [method NpcPeer.read].
func read() -> PackedByteArray:
	var available := _tcp.get_available_bytes() if _tcp.get_status() == StreamPeerTCP.STATUS_CONNECTED else 0
	if available <= 0:
		return PackedByteArray()
	var got: Array = _tcp.get_partial_data(mini(available, PIECE))
	return got[1]


## See [method NpcPeer.close].
func close() -> void:
	super()
	_forget_query()
	_tcp.disconnect_from_host()


func _resolve() -> void:
	match IP.get_resolve_item_status(_query):
		IP.RESOLVER_STATUS_DONE:
			var found := IP.get_resolve_item_address(_query)
			_forget_query()
			_begin(found)
		IP.RESOLVER_STATUS_ERROR, IP.RESOLVER_STATUS_NONE:
			_fail("There is no machine called %s. Correct the address." % _address.text)


func _begin(host: String) -> void:
	_has_begun = true
	if _tcp.connect_to_host(host, _address.port) != OK:
		_fail(_tell_nobody(_address))


func _forget_query() -> void:
	if _query != IP.RESOLVER_INVALID_ID:
		IP.erase_resolve_item(_query)
	_query = IP.RESOLVER_INVALID_ID
