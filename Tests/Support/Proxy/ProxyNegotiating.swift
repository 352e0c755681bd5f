import CurlewTestSupport

/// The host and port to which a client wants to connect.
struct ProxyTarget: Sendable, Hashable {
  var host: String
  var port: Int
}

/// The next action of a proxy on a connection.
enum ProxyAction {
  /// Waits for more bytes from the client.
  case wait
  /// Sends bytes to the client.
  case send([UInt8])
  /// Connects to the target, unless the current connection leads to it.
  case connect(ProxyTarget, ProxyConnecting)
  /// Forwards the first bytes of the input to the target.
  case forward(Int)
  /// Discards the first bytes of the input.
  case drop(Int)
  /// Forwards all further bytes in both directions.
  case tunnel
  /// Closes the connection after all bytes are sent.
  case close
  /// Does nothing until the client leaves.
  case stall
}

/// The bytes to send once a connection to a target is established or has failed.
struct ProxyConnecting {
  /// The first bytes for the target.
  var preface: [UInt8] = []
  /// The bytes for the client when the connection is established.
  var success: [UInt8] = []
  /// The bytes for the client when the connection failed.
  var failure: [UInt8] = []
  /// Whether the proxy forwards the target's bytes without interpreting them.
  var tunnels = false
}

/// A negotiation between a client and a proxy, as a state machine without sockets.
protocol ProxyNegotiating {
  /// Interprets the bytes that arrived from the client.
  ///
  /// The caller removes `consumed` bytes and then performs the action.
  mutating func next(_ input: UnsafeRawBufferPointer) -> (action: ProxyAction, consumed: Int)
}
