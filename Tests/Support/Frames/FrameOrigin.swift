import CurlewCore
package import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// An in-process HTTP/2 server that answers with scripted frames, over TLS or without.
///
/// It listens on loopback. It does not decode header blocks, so one origin gives one kind of reply, whatever the path.
package final class FrameOrigin: @unchecked Sendable {  // Safe because state is locked or used on the loop's thread.
  /// A request, as far as its frames describe it.
  package struct Request: Sendable, Hashable {
    /// The number of the request at this origin, from 1.
    package var number: Int
    /// The number of its connection at this origin, from 1.
    package var connection: Int
    /// The identifier of its stream; 0 over HTTP/1.1.
    package var stream: Int
    /// Whether it has a body.
    package var hasBody: Bool
  }

  /// A frame that a client sent, or the end of its connection.
  package enum Event: Sendable, Hashable {
    case frame(kind: UInt8, flags: UInt8, stream: Int, [UInt8])
    case end
  }

  let loop: EventLoop
  private let context: TLSContext?
  private let ignored: Range<Int>
  private let script: @Sendable (Request) -> [FrameStep]
  private let state = Watched<[Request]>([])
  private let sent = Watched<[Int: [Event]]>([:])
  private let isStopped = Guarded(false)
  private let port = Guarded<UInt16>(0)
  private var listener: OriginListener?
  private var connections: [Int: FrameConnection] = [:]
  private let gate: OriginGate?
  private let accepted = Watched(0)

  /// Starts an origin on a free port.
  ///
  /// - Parameters:
  ///   - identity: The certificate and its key; nil for a server without TLS, to clients with prior knowledge.
  ///   - ignored: The numbers of the connections on which the server never says anything.
  ///   - gate: Holds every new connection until it opens, before its handshake; nil holds none.
  ///   - speaksHTTP1: Whether it also speaks HTTP/1.1, where it answers every request with 201.
  /// - Throws: `OriginError` when no socket, thread or port is available, or OpenSSL rejects the identity.
  package static func start(
    _ identity: TestIdentity?, ignoring ignored: Range<Int> = 0..<0, holdingAt gate: OriginGate? = nil,
    speaksHTTP1: Bool = false,
    _ script: @escaping @Sendable (Request) -> [FrameStep]
  ) throws(OriginError) -> FrameOrigin {
    let origin = try FrameOrigin(identity, ignored, gate, speaksHTTP1 ? ["h2", "http/1.1"] : ["h2"], script)
    do throws(OriginError) {
      try origin.listen()
      return origin
    } catch {
      origin.stop()
      throw error
    }
  }

  private init(
    _ identity: TestIdentity?, _ ignored: Range<Int>, _ gate: OriginGate?, _ protocols: [String],
    _ script: @escaping @Sendable (Request) -> [FrameStep]
  ) throws(OriginError) {
    do throws(CertificateError) {
      context = try identity.map { identity throws(CertificateError) in
        try TLSContext(OriginTLS(identity).with { $0.applicationProtocols = protocols })
      }
    } catch {
      throw OriginError("speak TLS", reason: error.description)
    }
    self.script = script
    self.ignored = ignored
    self.gate = gate
    loop = try EventLoop()
  }

  deinit { stop() }

  private func listen() throws(OriginError) {
    let listener = try OriginListener(.ipv4(port: 0), path: nil, backlog: 512, receiveBuffer: nil, on: loop) {
      [unowned self] in accept($0)
    }
    port.withLock { $0 = listener.port }
    loop.execute { [self] in
      self.listener = listener
      listener.begin()
    }
  }

  /// Closes all connections and ends the origin's thread.
  package func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    loop.stop()
    if loop.isCurrent { loop.abandon() } else { loop.join() }
  }

  // MARK: The side of the test

  /// The origin's URL.
  package var url: URL {
    URL(string: "\(context == nil ? "http" : "https")://127.0.0.1:\(port.withLock { $0 })/") ?? URL(filePath: "/")
  }

  /// The requests that have arrived so far.
  package var requests: [Request] { state.current }

  /// The number of connections that it has accepted so far, also those without a request.
  package var acceptedConnections: Int { accepted.current }

  /// Waits until it has accepted this many connections.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func connections(_ count: Int) async throws { try await accepted.wait { $0 >= count } }

  /// Waits until this many requests have arrived.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func requests(_ count: Int) async throws {
    try await state.wait { $0.count >= count }
  }

  /// Returns what the client of a connection has sent so far, in order.
  package func events(of connection: Int) -> [Event] { sent.current[connection] ?? [] }

  /// Waits until a connection has ended.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func ended(_ connection: Int) async throws { try await sent.wait { $0[connection]?.last == .end } }

  // MARK: The side of the loop

  private func accept(_ descriptor: Int32) {
    let number = accepted.update { accepted in
      accepted += 1
      return accepted
    }
    Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let connection = FrameConnection(descriptor, number: number, origin: self)
    connections[number] = connection
    guard !ignored.contains(number) else { return }
    guard let gate else { return connection.begin(context) }
    gate.arrive { [weak self, weak connection] in
      self?.loop.execute { [weak self, weak connection] in
        if let self { connection?.begin(context) }
      }
    }
  }

  func steps(for connection: FrameConnection, stream: Int, hasBody: Bool) -> [FrameStep] {
    let request = state.update { requests in
      let request = Request(
        number: requests.count + 1, connection: connection.number, stream: stream, hasBody: hasBody)
      requests.append(request)
      return request
    }
    return script(request)
  }

  func note(_ event: Event, of connection: FrameConnection) {
    sent.update { $0[connection.number, default: []].append(event) }
  }

  func closed(_ connection: FrameConnection) {
    note(.end, of: connection)
    connections[connection.number] = nil
  }
}
