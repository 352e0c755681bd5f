import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for opening the connections of a `DuplexTransport`.
  static let twoWayOpeningRules: [ConformanceRule] = [
    .twoWayIsNew, .twoWayConnectedTold, .twoWayMeasured, .twoWayRefusedPort, .twoWayUntrustedByDefault,
    .twoWayRefusedTrust, .twoWayPlainRefused, .twoWayConnectTimeout, .twoWayNoTimeoutAfterwards,
    .twoWayCancelledWhileConnecting,
  ]
}

extension ConformanceRule {
  package static let twoWayIsNew = twoWay(
    "two-way-is-new", "each two-way connection is a new one, and no request ever gets it",
    because: "Whoever has the connection writes what it likes, which answers no request.", features: .connections
  ) { kit in
    let place = kit.serve()
    let other = kit.serve(echo)
    _ = try await kit.fetch(place)
    let first = try await kit.upgrade(other).0
    _ = try await kit.fetch(place)
    let second = try await kit.upgrade(other).0
    first.close()
    second.close()
    for _ in 0..<3 { _ = try await kit.fetch(place) }
    let used = other.requests.map(\.connection)
    try kit.expectEqual(Set(used).count, 2, "the number of two-way connections")
    let shared = Set(used).intersection(place.requests.map(\.connection))
    try kit.expect(shared.isEmpty, "requests were sent on the two-way connections \(shared.sorted())")
  }

  package static let twoWayConnectedTold = twoWay(
    "two-way-connected-told", "connecting tells observers of one new connection, and of no response",
    because: "What observers count must not have requests in it that were not sent."
  ) { kit in
    let observer = RecordingObserver()
    let connection = try await kit.connect(
      Request(.get, kit.serve(echo).url()), in: kit.exchange(observer: observer))
    // A transport that sees the handshake tells of it, too.
    try kit.expectEqual(observer.names.filter { $0 != "secured" }, ["connected"], "the events")
    for case .connected(let reused) in observer.kinds { try kit.expect(!reused, "it says that it was used before") }
    connection.cancel()
  }

  package static let twoWayMeasured = twoWay(
    "two-way-measured", "a connection says to which address it leads, and how long that took",
    source: "ExchangeMetrics",
    because: "The time until the connection is a part of what the caller measures.", capabilities: .metrics,
    features: .sockets
  ) { kit in
    let place = kit.serve(echo)
    let connection = try await kit.connect(Request(.get, place.url()))
    let metrics = connection.metrics
    try kit.expect(metrics.remoteAddress != nil, "there is no remote address")
    try kit.expectEqual(metrics.connectionReused, false, "whether it was used before")
    try kit.expect(metrics.phases.connect != nil, "there is no time of connecting")
    if kit.endpoint.features.contains(.tls) {
      try kit.expect(metrics.phases.tls != nil, "there is no time of the handshake")
    }
    connection.cancel()
  }

  package static let twoWayRefusedPort = twoWay(
    "two-way-refused-port", "a port without a listener ends in connectionFailed, certainly not processed",
    source: "NetworkError", because: "No byte was sent, so the app may safely try again.", features: .sockets
  ) { kit in
    let socket = try LoopbackSocket()
    let request = try Request(.get, "\(kit.scheme)://127.0.0.1:\(socket.port)/")
    let error = try await kit.expectError(.connectionFailed, "connecting to nobody") {
      _ = try await kit.connect(request)
    }
    try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
    try kit.expectEqual(error.details.request?.url, request.url, "the URL of the error")
  }

  package static let twoWayUntrustedByDefault = twoWay(
    "two-way-untrusted-by-default", "a certificate without a trusted issuer is rejected before the caller can send",
    source: "RFC 9110 §4.3.4", because: "Encryption without authentication protects from nobody who is in between.",
    features: .tls
  ) { kit in
    let place = kit.serve(echo)
    try await kit.expectError(.serverTrustRefused, "connecting without an evaluator") {
      _ = try await kit.connect(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = nil })
    }
    try kit.expect(place.requests.isEmpty, "a request reached the server")
  }

  package static let twoWayRefusedTrust = twoWay(
    "two-way-refused-trust", "a pin that does not match refuses the connection with its reason, and nothing is sent",
    source: "ServerTrustEvaluating", because: "A caller that had the connection would send its secrets.",
    capabilities: .serverTrust, features: .tls
  ) { kit in
    let place = kit.serve(echo)
    // An accepted connection and its TLS session, which a stricter policy must not take over.
    _ = try await kit.upgrade(place)
    let evaluator = RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
      throw ServerTrustError(.pinMismatch, certificate: 0, message: "No pin matches.")
    }
    for _ in 0..<2 {
      let error = try await kit.expectError(.serverTrustRefused, "connecting") {
        _ = try await kit.connect(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = evaluator })
      }
      try kit.expectEqual(error.details.trust?.reason, .pinMismatch, "the reason")
      try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
    }
    try kit.expectEqual(evaluator.evaluated.count, 2, "the calls of the evaluator")
    try kit.expectEqual(place.requests.count, 1, "the requests that reached the server")
  }

  package static let twoWayPlainRefused = twoWay(
    "two-way-plain-refused", "plain http is refused if the evaluator requires that", source: "ServerTrustEvaluating",
    because: "A pin protects nothing if the bytes go without TLS.", capabilities: .serverTrust, features: .plain
  ) { kit in
    let place = kit.serve(echo)
    let evaluator = RecordingTrustEvaluator(requirements: HandshakeRequirements(refusesPlainHTTP: true))
    try await kit.expectError([.serverTrustRefused, .invalidRequest, .unsupported], "connecting over plain http") {
      _ = try await kit.connect(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = evaluator })
    }
    try kit.expect(place.requests.isEmpty, "a request reached the server")
  }

  package static let twoWayConnectTimeout = twoWay(
    "two-way-connect-timeout", "a handshake that is never answered ends in connectTimedOut", source: "Timeouts",
    because: "A port that accepts and stays silent is no connection.", capabilities: .connectTimeout,
    features: [.sockets, .tls]
  ) { kit in
    // The kernel accepts connections for a listener that never does, so the client's hello stays unanswered.
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 16)
    var request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
    request.options.timeouts.connect = .milliseconds(150)
    let error = try await kit.expectError(.connectTimedOut, "the handshake") { [request] in
      _ = try await kit.connect(request)
    }
    try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
  }

  package static let twoWayNoTimeoutAfterwards = twoWay(
    "two-way-no-timeout-afterwards", "no timeout of the request ends a connection that was made",
    because: "A two-way connection is silent for as long as its protocol likes."
  ) { kit in
    let place = kit.serve(echo)
    var request = Request(.get, place.url())
    // Long enough for a handshake on a busy machine.
    request.options.timeouts.idle = .seconds(3)
    request.options.timeouts.total = .seconds(3)
    let connection = try await kit.connect(request)
    _ = try await kit.upgrade(connection, with: kit.upgradeHead(place))
    try await kit.passTime(.milliseconds(3_300))
    try await connection.send(Data([1, 2, 3]))
    try kit.expectEqual(try await kit.receive(3, from: connection), Data([1, 2, 3]), "the echo after the timeouts")
    connection.cancel()
  }

  package static let twoWayCancelledWhileConnecting = twoWay(
    "two-way-cancelled-while-connecting", "a task that is cancelled while it connects ends in CancellationError",
    because: "A person who leaves does not wait for a handshake.", features: [.sockets, .tls]
  ) { kit in
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 16)
    let request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
    let connecting = Task { _ = try await kit.connect(request) }
    // Time in which the handshake begins.
    _ = try await kit.fetch(kit.serve())
    connecting.cancel()
    try await kit.expectCancellation("connecting") { try await connecting.value }
  }
}

extension ConformanceKit {
  /// The scheme of the endpoint's URLs.
  fileprivate var scheme: String { endpoint.features.contains(.tls) ? "https" : "http" }
}
