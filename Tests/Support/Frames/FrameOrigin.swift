import CurlewCore
package import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// An in-process HTTP/2 server over TLS that answers with scripted frames.
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

  let loop: EventLoop
  private let context: TLSContext
  private let ignored: Int
  private let script: @Sendable (Request) -> [FrameStep]
  private let state = Watched<[Request]>([])
  private let isStopped = Guarded(false)
  private let port = Guarded<UInt16>(0)
  private var listener: OriginListener?
  private var connections: [Int: FrameConnection] = [:]
  private let accepted = Guarded(0)

  /// Starts an origin on a free port.
  ///
  /// - Parameters:
  ///   - ignored: The number of connections, the first ones, on which the server never says anything.
  ///   - speaksHTTP1: Whether it also speaks HTTP/1.1, where it answers every request with 201.
  /// - Throws: `OriginError` when no socket, thread or port is available, or OpenSSL rejects the identity.
  package static func start(
    _ identity: TestIdentity, ignoring ignored: Int = 0, speaksHTTP1: Bool = false,
    _ script: @escaping @Sendable (Request) -> [FrameStep]
  ) throws(OriginError) -> FrameOrigin {
    let origin = try FrameOrigin(identity, ignored, speaksHTTP1 ? ["h2", "http/1.1"] : ["h2"], script)
    do throws(OriginError) {
      try origin.listen()
      return origin
    } catch {
      origin.stop()
      throw error
    }
  }

  private init(
    _ identity: TestIdentity, _ ignored: Int, _ protocols: [String],
    _ script: @escaping @Sendable (Request) -> [FrameStep]
  ) throws(OriginError) {
    do throws(CertificateError) {
      context = try TLSContext(OriginTLS(identity).with { $0.applicationProtocols = protocols })
    } catch {
      throw OriginError("speak TLS", reason: error.description)
    }
    self.script = script
    self.ignored = ignored
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
    URL(string: "https://127.0.0.1:\(port.withLock { $0 })/") ?? URL(filePath: "/")
  }

  /// The requests that have arrived so far.
  package var requests: [Request] { state.current }

  /// The number of connections that it has accepted so far, also those without a request.
  package var acceptedConnections: Int { accepted.withLock { $0 } }

  /// Waits until this many requests have arrived.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func requests(_ count: Int) async throws {
    try await state.wait { $0.count >= count }
  }

  // MARK: The side of the loop

  private func accept(_ descriptor: Int32) {
    let number = accepted.withLock { accepted in
      accepted += 1
      return accepted
    }
    Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let connection = FrameConnection(descriptor, number: number, origin: self)
    connections[number] = connection
    if number > ignored { connection.begin(context) }
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

  func closed(_ connection: FrameConnection) { connections[connection.number] = nil }
}
