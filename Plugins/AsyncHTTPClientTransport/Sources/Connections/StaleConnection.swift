#if AsyncHTTPClient
import Glibc
import NIOCore

/// Finds out whether bytes wait on a connection that should be silent.
///
/// Bytes that arrive between two requests answer none of them: they are a late refusal, the end of the connection, or an attack.
/// SwiftNIO discards them if it reads them before the next request is written. What has arrived since it last read only the
/// kernel knows.
enum StaleConnection {
  /// The numbers of `SO_MEMINFO`; the first is the size of the bytes that wait to be read.
  private typealias MemoryInfo = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

  /// `SO_MEMINFO` of Linux 4.11 and later.
  private static let memoryInfo: CInt = 55

  /// Returns whether bytes wait; called on the channel's event loop.
  static func hasUnreadBytes(_ channel: any Channel) -> Bool {
    guard let options = channel as? any SocketOptionProvider else { return false }
    var unread: UInt32 = 0
    let info: EventLoopFuture<MemoryInfo> = options.unsafeGetSocketOption(
      level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: memoryInfo))
    // On the event loop the answer is there at once.
    info.assumeIsolated().whenSuccess { unread = $0.0 }
    return unread > 0
  }
}

/// The error of a request that was not written, because bytes waited on its connection.
struct StaleConnectionError: Error {}
#endif
