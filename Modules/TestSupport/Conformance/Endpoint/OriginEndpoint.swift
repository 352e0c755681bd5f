package import CurlewCore
package import FoundationEssentials

/// A `ScriptedOrigin` as an endpoint: HTTP/1.1, in the clear or over TLS, with every fault there is.
public final class OriginEndpoint: ConformanceEndpoint {
  /// What it is, for messages.
  package let name: String
  /// Everything but HTTP/2.
  package let features: EndpointFeatures
  /// Trust in its certificate and no other.
  package let settings: ExchangeSettings
  /// The certificates it shows, DER, leaf first; empty without TLS.
  package let certificates: [Data]
  private let origin: ScriptedOrigin
  private let table: PlaceTable

  /// Starts an origin on a free port of the loopback network.
  ///
  /// - Parameter identity: What it shows in its TLS handshakes; nil speaks plain HTTP.
  /// - Throws: `OriginError` when no socket, thread or port can be had.
  public static func start(tls identity: TestIdentity? = nil) async throws -> OriginEndpoint {
    let table = PlaceTable()
    var options = OriginOptions.with { $0.addresses = [.ipv4, .ipv6] }
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

  /// Opens a place.
  package func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: String(origin.address().dropLast()), script)
  }

  /// Closes all sockets and waits until the origin's thread is gone.
  public func stop() async { await origin.stop() }
}

extension EndpointFeatures {
  /// What an HTTP/1.1 origin has.
  package static let http11: EndpointFeatures = [
    .sockets, .writtenRequests, .madeFields, .reasonPhrases, .framings, .rawReplies, .cuts, .resets, .trailers,
    .informational, .continues, .earlyAnswers, .slowReading, .progress, .connections, .departures, .idleClosing,
    .codings, .ipv6, .fullDuplex, .brokenUploads, .earlyHeads,
  ]
}

extension ExchangeSettings {
  /// Settings that trust one chain; the default ones when there is none.
  package init(trusting certificates: [Data]) {
    self.init()
    if !certificates.isEmpty { serverTrust = ExactTrustEvaluator(certificates) }
  }
}

extension PlaceTable {
  /// Finds the place and makes its answer one of the origin.
  package func reply(to request: OriginRequest, connectionField: String? = nil) -> OriginReply {
    let seen = ConformanceRequest(request, connectionField: connectionField)
    guard let place = place(target: seen.target, fields: seen.fields) else { return .status(404, "no such place\n") }
    return place.answer(seen).originReply(method: seen.method, at: place)
  }
}
