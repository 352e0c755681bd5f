public import CurlewCore
import CurlewDownload

/// The transport of a session; whether the session or the app created it decides who shuts it down.
///
/// The app shuts down its own transport (`shared`). The first request creates the transport of a session (`made`), so a
/// session that is never used needs neither a thread nor a descriptor. It is shut down after the last session and the last
/// sequence that use it. Copies of a session share the transport and its connections.
///
/// ```swift
/// let shared = SessionTransport.shared(transport)
/// let made = SessionTransport.made { try CurlTransport() }
/// ```
public final class SessionTransport: Sendable {
  /// The disk of all downloads of the sessions that share the transport; its thread starts with the first of them.
  let disk = DownloadDisk()
  private let isOwned: Bool
  private let make: @Sendable () throws -> any Transport
  private let transport: Guarded<(any Transport)?>

  private init(_ transport: (any Transport)?, make: @escaping @Sendable () throws -> any Transport) {
    isOwned = transport == nil
    self.transport = Guarded(transport)
    self.make = make
  }

  deinit {
    guard isOwned, let transport = transport.withLock({ $0 }) else { return }
    Task { await transport.shutdown() }
  }

  /// Uses a transport that its owner shuts down.
  public static func shared(_ transport: any Transport) -> SessionTransport {
    SessionTransport(transport) { transport }
  }

  /// Creates a transport for the first request, and shuts it down after the last use.
  ///
  /// - Parameter make: Creates the transport. If it throws, the request fails with its error, and the next request calls it
  ///   again. It must not use the session.
  public static func made(_ make: @escaping @Sendable () throws -> any Transport) -> SessionTransport {
    SessionTransport(nil, make: make)
  }

  /// Returns a transport for a session that takes the place of this one's.
  ///
  /// It is created anew for the first request; one that its owner shuts down is shared.
  package func renewed() -> SessionTransport { isOwned ? .made(make) : self }

  /// Whether the transport was created.
  public var isMade: Bool { transport.withLock { $0 != nil } }

  /// Returns the transport, creating it if necessary.
  ///
  /// - Throws: The error of `make`.
  public func started() throws -> any Transport {
    if let transport = transport.withLock({ $0 }) { return transport }
    let new = try make()
    let (chosen, isSpare) = transport.withLock { transport -> (any Transport, Bool) in
      if let transport { return (transport, true) }
      transport = new
      return (new, false)
    }
    // Two first requests arrived at once: keep one transport; the other has sent nothing.
    if isSpare { Task { await new.shutdown() } }
    return chosen
  }
}
