import CurlewTestSupport

/// Where a client asked a proxy to connect to.
struct ProxyTarget: Sendable, Hashable {
  var host: String
  var port: Int
}

/// What a proxy does next on a connection.
enum ProxyAction {
  /// More of the client's bytes are needed.
  case wait
  /// Bytes for the client.
  case send([UInt8])
  /// A connection to the target, unless the one that is there leads to it.
  case connect(ProxyTarget, ProxyConnecting)
  /// The first bytes of the input belong to the upstream.
  case forward(Int)
  /// The first bytes of the input are of no use.
  case drop(Int)
  /// From now on all bytes go through, both ways.
  case tunnel
  /// The connection ends once all was sent.
  case close
  /// Nothing more happens until the client leaves.
  case stall
}

/// What is said when a connection to a target was made or not.
struct ProxyConnecting {
  /// For the target, first of all.
  var preface: [UInt8] = []
  /// For the client when it is there.
  var success: [UInt8] = []
  /// For the client when it cannot be had.
  var failure: [UInt8] = []
  /// Whether the target's bytes are none of the proxy's business.
  var tunnels = false
}

/// The talk between a client and a proxy before, and between, bytes that just pass: a state machine without sockets.
protocol ProxyNegotiating {
  /// Looks at what arrived from the client.
  ///
  /// The caller drops `consumed` bytes and then does what the action says.
  mutating func next(_ input: UnsafeRawBufferPointer) -> (action: ProxyAction, consumed: Int)
}
