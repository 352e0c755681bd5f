import CurlewCore
import Foundation
import FoundationNetworking
import HTTPTypes

/// The preparation of one request for Foundation, on the caller's task.
///
/// A request that cannot be sent is rejected here.
struct SendPlan: Sendable {
  let request: Request
  let origin: Origin
  /// The request without its body, because streams are created when it is sent.
  let message: URLRequest
  /// Whether libcurl may repeat the request unnoticed without harm.
  ///
  /// It does so when an existing connection has died.
  let isRepeatable: Bool
  let priority: Int8
  let idleTimeout: Duration?
  let totalTimeout: Duration?

  init(
    _ request: Request, in exchange: Exchange, capabilities: TransportCapabilities,
    configuration: URLSessionTransport.Configuration
  ) throws(NetworkError) {
    origin = try RequestCheck.origin(of: request)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    try Self.checkMethod(request)
    self.request = request
    isRepeatable = request.isIdempotent && request.body.isReplayable && !exchange.requiresFreshConnection
    priority = request.options.priority?.rawValue ?? 0
    var message = URLRequest(url: try RequestTarget.url(of: request, origin))
    message.httpMethod = request.method.rawValue
    message.allHTTPHeaderFields = try FieldDictionary.make(request, closes: !isRepeatable)
    self.message = message
    let timeouts = request.options.timeouts.over(configuration.timeouts)
    idleTimeout = timeouts.idle?.limited
    var total = timeouts.total?.limited
    if let deadline = exchange.settings.deadline {
      let left = exchange.settings.clock.now.left(until: deadline)
      guard left > .zero else {
        throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
      }
      total = min(total ?? left, left)
    }
    totalTimeout = total
  }

  /// Rejects methods that Foundation would change or cannot handle.
  private static func checkMethod(_ request: Request) throws(NetworkError) {
    let method = request.method.rawValue
    if let known = ["GET", "HEAD", "POST", "PUT", "DELETE"].first(where: { $0 == method.uppercased() }) {
      guard known == method else { throw .unsupported("Foundation would send the method \(method) as \(known).") }
    }
    guard let length = request.body.length, length > 0 else { return }
    guard request.method != .get, request.method != .head else {
      throw .unsupported("Foundation sends no content with \(method).")
    }
  }
}
