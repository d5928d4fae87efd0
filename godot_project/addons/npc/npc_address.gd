class_name NpcAddress
extends RefCounted
## Where a server is, as the project setting [code]npc/server/address[/code] says it: [code]host:port[/code] or
## [code]scheme://host:port[/code].
##
## Without a scheme it is the port of gRPC, and the socket is on the port after it. With one it is the socket itself:
## [code]tls://[/code] or [code]wss://[/code] (WebSocket) for another machine, [code]tcp://[/code] or [code]ws://[/code] for
## this one. A browser has WebSocket alone.

## The schemes of a socket.
const SCHEMES: Array[String] = ["tcp", "tls", "ws", "wss"]
## Those whose bytes nobody on the way can read.
const ENCRYPTED: Array[String] = ["tls", "wss"]
## Those that a browser can open.
const OF_BROWSERS: Array[String] = ["ws", "wss"]

## The whole address.
var text: String = ""
## What carries the bytes; "tcp" if the address does not say it.
var scheme: String = "tcp"
## The name or IP of the machine, without brackets.
var host: String = ""
## The port.
var port: int = 0
## What is wrong with the address; empty if nothing is.
var problem: String = ""


## Reads an address.
static func parse(given: String) -> NpcAddress:
	var address := NpcAddress.new()
	address.text = given
	var rest := given
	if has_scheme(given):
		address.scheme = given.get_slice("://", 0).to_lower()
		rest = given.substr(given.find("://") + 3)
	var place := rest.get_slice("/", 0)  # a proxy may tell games by the path of a WebSocket
	var colon := place.rfind(":")
	address.port = place.substr(colon + 1).to_int() if colon > place.rfind("]") else _get_usual_port(address.scheme)
	address.host = place.substr(0, colon if colon > place.rfind("]") else place.length()).trim_prefix("[").trim_suffix("]")
	address.problem = address._find_problem()
	return address


## Returns [code]true[/code] if an address names the socket itself.
static func has_scheme(given: String) -> bool:
	return given.contains("://")


## Returns [code]true[/code] if the address is of this machine.
func is_loopback() -> bool:
	return host == "localhost" or host == "::1" or (host.is_valid_ip_address() and host.begins_with("127."))


## Returns [code]true[/code] if nobody on the way can read the bytes.
func is_encrypted() -> bool:
	return scheme in ENCRYPTED


## Returns [code]true[/code] if the bytes go through a WebSocket.
func is_web() -> bool:
	return scheme in OF_BROWSERS


func _find_problem() -> String:
	if scheme not in SCHEMES:
		return "The address '%s' begins with %s://. Use tls:// or wss://, or tcp:// or ws:// for this machine." % [text, scheme]
	if host.is_empty() or port < 1 or port > 65535:
		return "The address is '%s'. Give host:port, such as 127.0.0.1:50552." % text
	if OS.has_feature("web") and not is_web():
		return "The address is '%s', and a browser opens WebSockets only. Give wss://host:port." % text
	if not is_encrypted() and not is_loopback():
		var better := "wss" if is_web() else "tls"
		var words := "The address is '%s', so others on the network could read the token and what players say. Give %s://%s:%d."
		return words % [text, better, host, port]
	return ""


static func _get_usual_port(its_scheme: String) -> int:
	return {"ws": 80, "wss": 443}.get(its_scheme, 0)
