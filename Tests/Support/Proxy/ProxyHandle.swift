import CurlewCore
import CurlewTestSupport
import FoundationEssentials

/// What a scripted proxy of any protocol holds on to: it ends when the last reference to it goes, stopped or not.
final class ProxyHandle<Entry: Sendable>: Sendable {
  let port: Int
  private let server: ProxyServer
  private let log: ProxyLog<Entry>
  private let isStopped = Guarded(false)

  /// Starts to listen; a connection's negotiation records what it is asked for.
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

  /// Closes all sockets and waits until the thread is gone.
  func stop() {
    isStopped.withLock { $0 = true }
    server.stop()
  }

  /// Returns the URL of its port on 127.0.0.1.
  func url(_ scheme: String) throws(OriginError) -> URL {
    guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else {
      throw OriginError("name itself", reason: "its address makes no URL")
    }
    return url
  }
}

/// The newest entries of something, up to 10,000.
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
