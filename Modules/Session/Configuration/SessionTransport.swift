public import CurlewCore

/// The transport of a session, and who ends it: whoever made it.
///
/// A transport of the app's own (`shared`) is the app's to shut down. One that the session makes (`made`) is started by the
/// first request, so that a session that is never used costs neither a thread nor a descriptor, and is shut down when the
/// last session and the last sequence that use it are gone. Copies of a session share it, and so do its connections.
///
/// ```swift
/// let shared = SessionTransport.shared(transport)
/// let made = SessionTransport.made { try CurlTransport() }
/// ```
public final class SessionTransport: Sendable {
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

  /// Uses a transport that somebody else shuts down.
  public static func shared(_ transport: any Transport) -> SessionTransport {
    SessionTransport(transport) { transport }
  }

  /// Makes a transport with the first request, and shuts it down when nothing uses it any more.
  ///
  /// - Parameter make: Called once; if it throws, the request fails with its error and the next request calls it again. It
  ///   must not use the session.
  public static func made(_ make: @escaping @Sendable () throws -> any Transport) -> SessionTransport {
    SessionTransport(nil, make: make)
  }

  /// Whether the transport has been made.
  public var isMade: Bool { transport.withLock { $0 != nil } }

  /// Returns the transport, and makes it if necessary.
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
    // Two first requests at once: one transport is kept, the other has sent nothing.
    if isSpare { Task { await new.shutdown() } }
    return chosen
  }
}
