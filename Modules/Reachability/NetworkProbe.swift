public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// Asks a server whether the internet is reachable.
///
/// A route does not tell what is behind it: a captive portal answers every request itself, and a network may lead
/// nowhere. The probe sends one request and compares the response with the one that only the right server gives. It is
/// only sent when an app runs it; use a server of your own if possible.
///
/// ```swift
/// let probe = NetworkProbe(try Request(.get, "http://probe.example/generate_204"))
/// if case .captivePortal = try await probe.run(over: transport) { openBrowser() }
/// ```
public struct NetworkProbe: Sendable {
  /// The result of a probe.
  public enum Finding: Sendable {
    /// The server gave the expected response.
    case online
    /// The response was not the server's.
    ///
    /// A captive portal asks for a login, or a proxy or the server is broken.
    case captivePortal(ResponseHead)
    /// There was no response.
    case offline(any Error)
  }

  /// The request that is sent.
  public var request: Request
  /// The status of the expected response.
  public var status: HTTPResponse.Status
  /// The body of the expected response; nil accepts any body.
  public var body: Data?

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - request: A plain `http` request, because a captive portal cannot answer for another host over TLS. It is sent
  ///     once, with a total timeout of ten seconds unless it sets its own.
  ///   - status: The status of the expected response.
  ///   - body: The body of the expected response, at most 64 kB; nil accepts any body.
  public init(_ request: Request, status: HTTPResponse.Status = .noContent, body: Data? = nil) {
    self.request = request
    self.status = status
    self.body = body
  }

  /// Sends the probe once, bypassing redirects and caches.
  ///
  /// - Throws: `CancellationError`.
  public func run(over transport: any Transport, in exchange: Exchange = Exchange()) async throws -> Finding {
    var request = request
    request.options.timeouts.total = request.options.timeouts.total ?? .seconds(10)
    do {
      let response = try await transport.send(request, in: exchange)
      guard response.head.status.code == status.code else {
        response.body.cancel()
        return .captivePortal(response.head)
      }
      guard let body else {
        response.body.cancel()
        return .online
      }
      return try await response.body.collect(upTo: 1 << 16) == body ? .online : .captivePortal(response.head)
    } catch let error as CancellationError {
      throw error
    } catch {
      return .offline(error)
    }
  }
}
