import CurlewCore
import CurlewTestSupport
import FoundationEssentials

/// The server and log of a scripted proxy, which stops with its last reference.
final class ProxyHandle<Entry: Sendable>: Sendable {
  let port: Int
  private let server: ProxyServer
  private let log: ProxyLog<Entry>
  private let isStopped = Guarded(false)

  /// Starts to listen; the negotiation of each connection records its requests.
  init(
    routes: [String: Int],
    negotiation: @escaping @Sendable (_ record: @escaping @Sendable (Entry) -> Void) -> any ProxyNegotiating
  ) throws(OriginError) {
    let log = ProxyLog<Entry>()
    self.log = log
    server = try ProxyServer(routes: routes) { negotiation(log.append) }
    port = Int(try server.listen())
  }

  deinit {
    guard !isStopped.withLock({ $0 }) else { return }
    server.loop.stop()
    server.loop.abandon()
  }

  var ledger: OriginStatistics { server.ledger }
  var requests: [Entry] { log.entries }

  /// Closes all sockets and waits until the thread has ended.
  func stop() {
    isStopped.withLock { $0 = true }
    server.stop()
  }

  /// Returns the URL of the proxy's port on 127.0.0.1.
  func url(_ scheme: String) throws(OriginError) -> URL {
    guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else {
      throw OriginError("create its URL", reason: "its address is not valid in a URL")
    }
    return url
  }
}

/// A log of the newest 10,000 entries.
final class ProxyLog<Entry: Sendable>: Sendable {
  private let list = Guarded<[Entry]>([])
  private static var limit: Int { 10_000 }

  var entries: [Entry] { list.withLock { $0.suffix(Self.limit) } }

  func append(_ entry: Entry) {
    list.withLock { list in
      list.append(entry)
      if list.count >= 2 * Self.limit { list.removeFirst(Self.limit) }
    }
  }
}
