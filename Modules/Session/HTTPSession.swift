public import CurlewCore
package import CurlewDownload
public import CurlewLoading

/// Sends requests and returns values: the interface for everyday use.
///
/// It combines the modules below it: it resolves a path against the base URL, writes parameters and content, sends the request
/// through the chain, checks status, type and size, and decodes the body. A call without retry uses `Loader` and costs little
/// more; a call with a retry policy or with progress uses `Transfer`.
///
/// ```swift
/// let session = HTTPSession(SessionConfiguration(.shared(transport)).with { $0.formats.add(.json) })
/// let page: [String] = try await session.get("https://example.com/names", parameters: ["page": 2])
/// let text = try await session.get("https://example.com/about.txt", .string)
/// ```
///
/// A session is a value; copies share the transport and its connections. A transport that the session created is shut down
/// when the last copy is released, so a program need not do it. Errors are `NetworkError`, or `CancellationError` if the task was
/// cancelled. The error of a refused response keeps status, head and the start of the body. Safe from any isolation.
public struct HTTPSession: Sendable {
  let core: SessionCore

  /// Creates a session.
  public init(_ configuration: SessionConfiguration) { core = SessionCore(configuration) }

  /// Creates a session over a transport that the app shuts down.
  ///
  /// It has no interceptors and no format for values: it follows no redirect, keeps no cookie and decodes no content.
  public init(_ transport: any Transport) { self.init(SessionConfiguration(.shared(transport))) }

  /// Creates a session with a changed configuration.
  ///
  /// The app shuts down the transport.
  public init(_ transport: any Transport, _ change: (inout SessionConfiguration) throws -> Void) rethrows {
    self.init(try SessionConfiguration(.shared(transport)).with(change))
  }

  /// The configuration.
  public var configuration: SessionConfiguration { core.configuration }

  /// Returns a request with the configuration's header fields where it has none.
  ///
  /// Only harmless ones go to origins that the app has not named (`SessionConfiguration.headerFields`).
  package func completed(_ request: Request) -> Request { core.completed(request) }

  /// The disk of the session's downloads, with one thread.
  package var disk: DownloadDisk { core.disk }

  /// Returns a changed copy.
  ///
  /// It shares what `change` leaves as it is: the transport with its connections, and the objects of the chain, such as the cookies, the
  /// cache and the token source. A `challenge` hook that `change` sets is asked anew, so the copy does not use the credentials of
  /// the original, nor the original those of the copy. A copy for another user of the app needs cookies and a cache of its own:
  /// `$0.chain.cookies = Cookies(MemoryCookieJar())`, and `$0.chain.caching`.
  ///
  /// ```swift
  /// let patient = session.with { $0.retry = RetryPolicy(limit: 5) }
  /// ```
  public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> HTTPSession {
    HTTPSession(try configuration.with(change))
  }

  /// The loader of the session, for requests that a session does not support.
  ///
  /// It has the session's transport, interceptors, options and settings, but not its base URL, header fields, formats and retries.
  ///
  /// The session must outlive the loader's requests.
  ///
  /// - Throws: The error of creating the transport.
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
