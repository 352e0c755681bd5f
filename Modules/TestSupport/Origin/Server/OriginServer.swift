import CurlewCore
import Glibc

/// The parts of a scripted origin: loop, listeners, connections and handlers.
// Safe because `listeners`, `connections` and `accepted` are used only on the loop's thread, and the rest is immutable or
// locked.
final class OriginServer: @unchecked Sendable {
  private struct Running {
    var count = 0
    var waiters: [@Sendable () -> Void] = []
  }

  let loop: EventLoop
  let options: OriginOptions
  let ledger: OriginStatistics
  let tls: TLSContext?
  private let handler: ScriptedOrigin.Handler
  private let running = Guarded(Running())
  private var listeners: [OriginListener] = []
  private var connections: [Int: OriginConnection] = [:]
  private var accepted = 0

  init(_ options: OriginOptions, handler: @escaping ScriptedOrigin.Handler) throws(OriginError) {
    self.options = options
    self.handler = handler
    ledger = OriginStatistics(requestsKept: options.requestsKept, bodyBytesKept: options.bodyBytesKeptInAll)
    do throws(CertificateError) {
      tls = if let tls = options.tls { try TLSContext(tls) } else { nil }
    } catch {
      throw OriginError("speak TLS", reason: error.description)
    }
    loop = try EventLoop()
  }

  /// Binds all addresses and starts accepting.
  ///
  /// - Returns: The port; 0 if there is none.
  func listen() throws(OriginError) -> UInt16 {
    var attempts = 0
    while true {
      attempts += 1
      do {
        let listeners = try bindAll()
        loop.execute { [self] in
          self.listeners = listeners
          for listener in listeners { listener.begin() }
        }
        return listeners.map(\.port).first { $0 != 0 } ?? 0
      } catch {
        // The second address needs the port of the first one, which another process may use there.
        guard attempts < 16, options.addresses.count > 1 else { throw error }
      }
    }
  }

  private func bindAll() throws(OriginError) -> [OriginListener] {
    var port: UInt16 = 0
    var listeners: [OriginListener] = []
    for address in options.addresses {
      var path: String?
      let socketAddress: SocketAddress
      switch address {
      case .ipv4: socketAddress = .ipv4(port: port)
      case .ipv6: socketAddress = .ipv6(port: port)
      case .unix(let name):
        guard let unix = SocketAddress.unix(name) else {
          throw OriginError("listen", reason: "the socket's path is empty or longer than the kernel allows")
        }
        socketAddress = unix
        path = name
      }
      let listener = try OriginListener(
        socketAddress, path: path, backlog: options.backlog, receiveBuffer: options.receiveBuffer, on: loop
      ) { [self] in accept($0) }
      port = max(port, listener.port)
      listeners.append(listener)
    }
    return listeners
  }

  private func accept(_ descriptor: Int32) {
    accepted += 1
    let number = accepted
    let behaviour = options.connection(number)
    var acceptance = behaviour.acceptance
    if let limit = options.connectionLimit, connections.count >= limit { acceptance = options.excess }
    Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    if let sendBuffer = options.sendBuffer { Socket.set(descriptor, SOL_SOCKET, SO_SNDBUF, sendBuffer) }
    let connection = OriginConnection(descriptor, number: number, behaviour: behaviour, server: self)
    connections[number] = connection
    let open = connections.count
    let isServed = if case .serve = acceptance { true } else { false }
    ledger.update { counters in
      counters.connectionsAccepted += 1
      counters.connectionsOpen = open
      counters.connectionsPeak = max(counters.connectionsPeak, open)
      if !isServed { counters.connectionsRefused += 1 }
    }
    connection.begin(acceptance)
  }

  /// Records a connection that has closed its descriptor.
  func closed(_ connection: OriginConnection) {
    connections[connection.number] = nil
    let (open, sent, received) = (connections.count, connection.wire.bytesSent, connection.wire.bytesReceived)
    ledger.update { counters in
      counters.connectionsOpen = open
      counters.bytesSent += sent
      counters.bytesReceived += received
    }
  }

  /// Calls the handler; `deliver` is called on the loop's thread.
  func run(_ request: OriginRequest, _ deliver: @escaping @Sendable (OriginReply) -> Void) -> Task<Void, Never> {
    spawn { [handler, loop] in
      let reply = await handler(request)
      loop.execute { deliver(reply) }
    }
  }

  /// Starts code of a test as a task that `stop` waits for.
  ///
  /// It runs at once on this thread until it first suspends. Most handlers never do, and then need no switch of threads.
  func spawn(_ code: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    running.withLock { $0.count += 1 }
    return Task.immediate { [self] in
      await code()
      let waiters = running.withLock { running in
        running.count -= 1
        guard running.count == 0 else { return [@Sendable () -> Void]() }
        defer { running.waiters = [] }
        return running.waiters
      }
      for wake in waiters { wake() }
    }
  }

  /// Ends the loop, its sockets and handlers, and waits for all of them.
  func stop() async {
    loop.stop()
    loop.join()
    ledger.close()
    // Cancelling the caller must not leave tasks behind, so the wait is repeated.
    while running.withLock({ $0.count }) > 0 {
      await Task { await self.idle() }.value
    }
  }

  private func idle() async {
    await Awaiting.oneCall { wake in
      let isIdle = running.withLock { running in
        if running.count > 0 { running.waiters.append(wake) }
        return running.count == 0
      }
      if isIdle { wake() }
    }
  }
}
