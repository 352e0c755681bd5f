import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for server trust inside the handshake.
  static let trustRules: [ConformanceRule] = [
    .untrustedByDefault, .refusedTrustSendsNothing, .trustSeenOncePerConnection, .trustSeesChain,
    .keysNeverShareConnections, .refusalAfterAcceptance, .plainHTTPRefused,
  ]
}

extension ConformanceRule {
  package static let untrustedByDefault = ConformanceRule(
    "untrusted-by-default", "a certificate without a trusted issuer is rejected", source: "RFC 9110 §4.3.4",
    because: "Encryption without authentication protects from nobody who is in between.", features: .tls
  ) { kit in
    let place = kit.serve()
    try await kit.expectError(.serverTrustRefused, "asking without an evaluator") {
      _ = try await kit.send(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = nil })
    }
    try kit.expect(place.requests.isEmpty, "the request reached the server")
  }

  package static let refusedTrustSendsNothing = ConformanceRule(
    "refused-trust-sends-nothing", "a rejection ends in serverTrustRefused with its reason, and nothing is sent",
    source: "ServerTrustEvaluating",
    because: "A request carries secrets, which must not reach a server that was refused.",
    capabilities: .serverTrust, features: .tls
  ) { kit in
    let place = kit.serve()
    let evaluator = RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
      throw ServerTrustError(.pinMismatch, certificate: 0, message: "No pin matches.")
    }
    for _ in 0..<2 {
      let error = try await kit.expectError(.serverTrustRefused, "asking") {
        _ = try await kit.send(
          Request(.post, place.url(), body: .text("secret")), in: kit.exchange { $0.serverTrust = evaluator })
      }
      try kit.expectEqual(error.details.trust?.reason, .pinMismatch, "the reason")
      try kit.expectEqual(error.details.trust?.certificate, 0, "the certificate at fault")
      try kit.expect(error.details.trust?.trust?.certificates.isEmpty == false, "the error does not contain the chain")
      try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
    }
    try kit.expect(place.requests.isEmpty, "the request reached the server")
    try kit.expectEqual(evaluator.evaluated.count, 2, "the calls of the evaluator")
  }

  package static let trustSeenOncePerConnection = ConformanceRule(
    "trust-seen-once-per-connection", "an evaluator is asked once for each new connection",
    source: "ServerTrustEvaluating",
    because: "An evaluator may ask a person, or the network.",
    capabilities: .serverTrust, features: [.tls, .connections]
  ) { kit in
    let place = kit.serve()
    let evaluator = RecordingTrustEvaluator(key: "counts")
    for number in 0..<6 {
      let exchange = kit.exchange { $0.serverTrust = evaluator }
      _ = try await kit.fetch(
        Request(.get, place.url()), in: number % 3 == 0 ? exchange.derived(freshConnection: true) : exchange)
    }
    let connections = Set(place.requests.map(\.connection)).count
    try kit.expectEqual(evaluator.evaluated.count, connections, "the calls for \(connections) connections")
  }

  package static let trustSeesChain = ConformanceRule(
    "trust-sees-chain", "an evaluator receives host, port and the chain as presented", source: "ServerTrustEvaluating",
    because: "Pins compare certificates as they were presented.", capabilities: .serverTrust,
    features: .tls
  ) { kit in
    let place = kit.serve()
    let evaluator = RecordingTrustEvaluator(key: "looks")
    _ = try await kit.fetch(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = evaluator })
    let origin = try Origin(place.url())
    let trust = evaluator.evaluated.first
    try kit.expectEqual(trust?.host, origin.host, "the host")
    try kit.expectEqual(trust?.port, origin.port, "the port")
    try kit.expectEqual(trust?.certificates, kit.endpoint.certificates, "the chain")
  }

  package static let keysNeverShareConnections = ConformanceRule(
    "keys-never-share-connections", "requests with different keys never share a connection",
    source: "ServerTrustEvaluating",
    because: "A connection that one policy accepted says nothing to another policy.",
    capabilities: .serverTrust, features: [.tls, .connections]
  ) { kit in
    let place = kit.serve()
    var used: [String: Set<Int>] = [:]
    for key in ["a", "b", "a", "b", "c", "a"] {
      let evaluator = RecordingTrustEvaluator(key: key)
      _ = try await kit.fetch(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = evaluator })
      used[key, default: []].insert(place.requests.last?.connection ?? 0)
    }
    let all = used.values.reduce(into: [Int]()) { $0 += $1 }
    try kit.expectEqual(Set(all).count, all.count, "connections of more than one key")
    try kit.expectEqual(all.count, 3, "the number of connections")
  }

  package static let refusalAfterAcceptance = ConformanceRule(
    "refusal-after-acceptance",
    "an evaluator that rejects a server is not bypassed by a connection that another accepted",
    source: "ServerTrustEvaluating",
    because: "A stricter policy must not be bypassed by open connections or TLS sessions.",
    capabilities: .serverTrust,
    features: .tls
  ) { kit in
    let place = kit.serve()
    let refusing = RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
      throw ServerTrustError(.untrusted, message: "Nobody is trusted.")
    }
    for round in 0..<5 {
      let accepting = RecordingTrustEvaluator(key: "accepts")
      _ = try await kit.fetch(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = accepting })
      let count = place.requests.count
      try await kit.expectError(.serverTrustRefused, "round \(round)") {
        _ = try await kit.send(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = refusing })
      }
      try kit.expectEqual(place.requests.count, count, "the number of requests")
    }
    try kit.expectEqual(refusing.evaluated.count, 5, "the calls of the rejecting evaluator")
  }

  package static let plainHTTPRefused = ConformanceRule(
    "plain-http-refused", "plain http is rejected if the evaluator requires that", source: "ServerTrustEvaluating",
    because: "A pin protects nothing if the request goes without TLS.", capabilities: .serverTrust,
    features: .plain
  ) { kit in
    let place = kit.serve()
    let evaluator = RecordingTrustEvaluator(requirements: HandshakeRequirements(refusesPlainHTTP: true))
    try await kit.expectError([.serverTrustRefused, .invalidRequest, .unsupported], "asking over plain http") {
      _ = try await kit.send(Request(.get, place.url()), in: kit.exchange { $0.serverTrust = evaluator })
    }
    try kit.expect(place.requests.isEmpty, "the request reached the server")
    try kit.expect(evaluator.evaluated.isEmpty, "the evaluator was asked")
  }
}
