public import CurlewCore
public import CurlewLoading

/// Makes requests and returns values: what an app writes every day.
///
/// It puts together what the modules below it do: it resolves a path against the base URL, writes parameters and content,
/// sends the request through the chain, checks status, type and size, and decodes the body. A call without retry goes through
/// `Loader` and costs little more than that; with a retry policy, or where there is progress, it is a `Transfer`.
///
/// ```swift
/// let session = HTTPSession(SessionConfiguration(.shared(transport)).with { $0.coding = .json })
/// let page: [String] = try await session.get("https://example.com/names", parameters: ["page": 2])
/// let text = try await session.get("https://example.com/about.txt", .string)
/// ```
///
/// It is a value; copies share the transport and its connections. A transport that the session has made ends with the last
/// copy, so a program needs no shutdown. Errors are `NetworkError`, or `CancellationError` when the task was cancelled; that of
/// a refused response keeps status, head and the start of the body. Safe from any isolation.
public struct HTTPSession: Sendable {
  let core: SessionCore

  /// Creates a session.
  public init(_ configuration: SessionConfiguration) { core = SessionCore(configuration) }

  /// Creates a session over a transport that the app shuts down.
  ///
  /// It has no interceptors and no format for values: it follows no redirect, keeps no cookie and decodes no content.
  public init(_ transport: any Transport) { self.init(SessionConfiguration(.shared(transport))) }

  /// Creates a session over a transport that the app shuts down, with a changed configuration.
  public init(_ transport: any Transport, _ change: (inout SessionConfiguration) throws -> Void) rethrows {
    self.init(try SessionConfiguration(.shared(transport)).with(change))
  }

  /// The configuration.
  public var configuration: SessionConfiguration { core.configuration }

  /// Returns a changed copy, which shares the transport and its connections unless `change` sets another one.
  ///
  /// ```swift
  /// let patient = session.with { $0.retry = RetryPolicy(limit: 5) }
  /// ```
  public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> HTTPSession {
    HTTPSession(try configuration.with(change))
  }

  /// The loader that carries the requests, for what a session does not do; the session must outlive its requests.
  ///
  /// - Throws: The error of making the transport.
  public var loader: Loader { get throws { try core.loader() } }
}

extension SessionConfiguration {
  /// Returns a changed copy.
  public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> SessionConfiguration {
    var copy = self
    try change(&copy)
    return copy
  }
}
