import CurlewCore
import FoundationEssentials

/// A `ScriptedOrigin` as an endpoint: HTTP/1.1, in the clear or over TLS, with every fault there is.
public final class OriginEndpoint: ConformanceEndpoint {
  /// What it is, for messages.
  public let name: String
  /// Everything but HTTP/2.
  public let features: EndpointFeatures
  private let origin: ScriptedOrigin
  private let table: PlaceTable

  /// Starts an origin on a free port of the loopback network.
  ///
  /// - Throws: `OriginError` when no socket, thread or port can be had.
  public static func start() async throws -> OriginEndpoint {
    let table = PlaceTable()
    let origin = try await ScriptedOrigin.start(.with { $0.addresses = [.ipv4, .ipv6] }) { request in
      table.reply(to: request)
    }
    return OriginEndpoint(origin, table)
  }

  private init(_ origin: ScriptedOrigin, _ table: PlaceTable) {
    self.origin = origin
    self.table = table
    name = origin.isSecure ? "HTTP/1.1 over TLS" : "HTTP/1.1"
    features = EndpointFeatures.http11.union(origin.isSecure ? .tls : .plain)
  }

  /// Opens a place.
  public func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: String(origin.address().dropLast()), script)
  }

  /// Closes all sockets and waits until the origin's thread is gone.
  public func stop() async { await origin.stop() }
}

extension EndpointFeatures {
  /// What an HTTP/1.1 origin has.
  static let http11: EndpointFeatures = [
    .sockets, .writtenRequests, .madeFields, .reasonPhrases, .framings, .rawReplies, .cuts, .resets, .trailers,
    .informational, .continues, .earlyAnswers, .slowReading, .progress, .connections, .departures, .idleClosing,
    .codings, .ipv6, .fullDuplex, .brokenUploads,
  ]
}

extension PlaceTable {
  /// Finds the place and makes its answer one of the origin.
  func reply(to request: OriginRequest, connectionField: String? = nil) -> OriginReply {
    let seen = ConformanceRequest(request, connectionField: connectionField)
    guard let place = place(target: seen.target, fields: seen.fields) else { return .status(404, "no such place\n") }
    return place.answer(seen).originReply(method: seen.method, at: place)
  }
}
