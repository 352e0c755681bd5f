#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The preparation of one request, on the caller's task.
///
/// A request that cannot be sent is rejected here.
struct SendPlan: Sendable {
  let request: Request
  let origin: Origin
  /// The client to use.
  let settings: ClientSettings
  /// Evaluates the server; nil leaves that to NIOSSL.
  let evaluator: (any ServerTrustEvaluating)?
  let needsFreshConnection: Bool
  let idleTimeout: Duration?
  let totalTimeout: Duration?
  /// The path and query as they are sent.
  let target: String
  private let fields: HTTPHeaders

  init(
    _ request: Request, in exchange: Exchange, capabilities: TransportCapabilities,
    configuration: AsyncHTTPClientTransport.Configuration
  ) throws(NetworkError) {
    origin = try RequestCheck.origin(of: request)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    self.request = request
    needsFreshConnection = exchange.requiresFreshConnection
    evaluator = try Self.evaluator(for: origin, in: exchange)
    try Self.checkVersion(of: request, isEvaluated: evaluator != nil)
    let timeouts = request.options.timeouts.over(configuration.timeouts)
    settings = try ClientSettings(
      origin, evaluator, exchange.settings.clientIdentity, isHTTP1Only: request.options.version == .http1,
      connectTimeout: timeouts.connect ?? .seconds(10))
    idleTimeout = timeouts.idle
    totalTimeout = try Self.totalTimeout(timeouts.total, exchange.settings)
    target = try Self.target(of: request)
    fields = try RequestFields.make(request.headerFields, origin)
  }

  /// Whether there is no content, and the method expects none, so that no length is announced (RFC 9110 §8.6).
  var announcesNoLength: Bool {
    guard request.body.isEmpty else { return false }
    return switch request.method {
    case .post, .put, .patch: false
    default: true
    }
  }

  /// Returns AsyncHTTPClient's request, marked for the tap of its connection.
  func message(_ body: HTTPClientRequest.Body?, mark: String) -> HTTPClientRequest {
    // Where the transport adds TLS itself, AsyncHTTPClient only opens the connection. The tap writes the target.
    let scheme = evaluator == nil ? origin.scheme : .http
    var message = HTTPClientRequest(url: "\(scheme.rawValue)://\(origin.urlHost):\(origin.port)/")
    message.method = HTTPMethod(rawValue: request.method.rawValue)
    message.headers = fields
    message.headers.replaceOrAdd(name: ConnectionTap.markName, value: mark)
    message.body = body
    return message
  }

  /// Returns the evaluator that decides on a connection to an origin.
  private static func evaluator(
    for origin: Origin, in exchange: Exchange
  ) throws(NetworkError) -> (any ServerTrustEvaluating)? {
    guard let evaluator = exchange.settings.serverTrust else { return nil }
    if origin.scheme == .https { return evaluator }
    guard !evaluator.requirements.refusesPlainHTTP else {
      let message = "The server trust does not allow plain HTTP."
      throw NetworkError(
        .serverTrustRefused, stage: .preparing, message: message, advice: "Use an https URL."
      ).with {
        $0.trust = ServerTrustError(.policy, message: message)
      }
    }
    return nil
  }

  private static func checkVersion(of request: Request, isEvaluated: Bool) throws(NetworkError) {
    switch request.options.version {
    case .http2PriorKnowledge:
      throw .unsupported("AsyncHTTPClient uses HTTP/2 only where a TLS handshake chooses it.", .http2)
    case .http2 where isEvaluated:
      throw .unsupported(
        "AsyncHTTPClient offers HTTP/2 only on connections whose certificates NIOSSL verifies.", .http2)
    default: return
    }
  }

  private static func totalTimeout(_ timeout: Duration?, _ settings: ExchangeSettings) throws(NetworkError) -> Duration?
  {
    guard let deadline = settings.deadline else { return timeout }
    let left = deadline - settings.clock.now
    guard left > .zero else {
      throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
    }
    return min(timeout ?? left, left)
  }

  private static func target(of request: Request) throws(NetworkError) -> String {
    do throws(InvalidOriginError) {
      return try request.target
    } catch {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: error.message, advice: error.advice, underlying: error)
    }
  }
}

extension NetworkError {
  /// Returns the error for a request that AsyncHTTPClient cannot send as it is.
  static func unsupported(_ message: String, _ missing: TransportCapabilities = []) -> NetworkError {
    NetworkError(.unsupported, stage: .preparing, message: message).with { $0.missing = missing }
  }

  static let shutDown = NetworkError(
    .transportShutDown, stage: .preparing, message: "The transport was shut down.")
}
#endif
