package import CurlewCore
package import FoundationEssentials

/// A `ScriptedOrigin` as an endpoint: HTTP/1.1, with or without TLS.
///
/// It can produce every fault.
public final class OriginEndpoint: ConformanceEndpoint {
  /// The name of the endpoint, for messages.
  package let name: String
  /// All features except those of HTTP/2.
  package let features: EndpointFeatures
  /// Settings that trust only its certificate.
  package let settings: ExchangeSettings
  /// The certificates that it shows, in DER, leaf first; empty without TLS.
  package let certificates: [Data]
  private let origin: ScriptedOrigin
  private let table: PlaceTable

  /// Starts an origin on a free port of the loopback network.
  ///
  /// - Parameter identity: The identity for TLS handshakes; nil serves plain HTTP.
  /// - Throws: `OriginError` when no socket, thread or port is available.
  public static func start(tls identity: TestIdentity? = nil) async throws -> OriginEndpoint {
    let table = PlaceTable()
    var options = OriginOptions.with { $0.addresses = [.ipv4, .ipv6] }
    options.transcriptBytes = 512
    options.tls = identity.map { OriginTLS($0) }
    let origin = try await ScriptedOrigin.start(options) { request in table.reply(to: request) }
    return OriginEndpoint(origin, table, identity)
  }

  private init(_ origin: ScriptedOrigin, _ table: PlaceTable, _ identity: TestIdentity?) {
    self.origin = origin
    self.table = table
    name = origin.isSecure ? "HTTP/1.1 over TLS" : "HTTP/1.1"
    features = EndpointFeatures.http11.union(origin.isSecure ? .tls : .plain)
    certificates = identity?.chain.map { Data($0.der) } ?? []
    settings = ExchangeSettings(trusting: certificates)
  }

  /// Opens a place that answers each request by a script, until it is closed.
  package func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: String(origin.address().dropLast()), script)
  }

  /// Closes all sockets and waits until the origin's thread has ended.
  public func stop() async { await origin.stop() }
}

extension EndpointFeatures {
  /// The features of an HTTP/1.1 origin.
  package static let http11: EndpointFeatures = [
    .sockets, .writtenRequests, .madeFields, .reasonPhrases, .framings, .rawReplies, .cuts, .resets, .trailers,
    .informational, .continues, .earlyAnswers, .slowReading, .progress, .connections, .departures, .idleClosing,
    .codings, .ipv6, .fullDuplex, .brokenUploads, .earlyHeads, .conversations,
  ]
}

extension ExchangeSettings {
  /// Creates settings that trust one chain; default settings if it is empty.
  package init(trusting certificates: [Data]) {
    self.init()
    if !certificates.isEmpty { serverTrust = ExactTrustEvaluator(certificates) }
  }
}

extension PlaceTable {
  /// Returns the reply of the request's place.
  package func reply(to request: OriginRequest, connectionField: String? = nil) -> OriginReply {
    let seen = ConformanceRequest(request, connectionField: connectionField)
    guard let place = place(target: seen.target, fields: seen.fields) else { return .status(404, "no such place\n") }
    return place.answer(seen).originReply(method: seen.method, at: place)
  }
}
