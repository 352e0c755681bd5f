import CLinux
import Glibc

/// A listening socket on an event loop.
///
/// Its port refuses connections from `close` until the listener is released. Without this, another listener of the process
/// often gets the port, and answers the clients of the one that was closed.
// Safe because it is passed to the loop's thread before it begins, and only used there afterwards.
package final class OriginListener: EventLoop.Source, @unchecked Sendable {
  package let descriptor: Int32
  package let port: UInt16
  private let loop: EventLoop
  private let path: String?
  private let holder: LoopbackSocket?
  private var accepted: ((Int32) -> Void)?
  private var registration: UInt64?
  private var isClosed = false

  /// Binds and listens; `begin` starts accepting.
  package init(
    _ address: SocketAddress, path: String?, backlog: Int32, receiveBuffer: Int32?, on loop: EventLoop,
    accepted: @escaping (Int32) -> Void
  ) throws(OriginError) {
    let holder = path == nil ? try LoopbackSocket(address) : nil
    let address = holder?.address ?? address
    let descriptor = try Socket.open(address.family)
    if address.family == AF_INET6 { Socket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    if holder != nil { Socket.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) }
    // Only a listener's buffer size affects the window that its connections announce.
    if let receiveBuffer { Socket.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
    let bound = address.withPointer { bind(descriptor, $0, $1) }
    guard bound == 0, listen(descriptor, backlog) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw OriginError(errno: code, in: "listen")
    }
    self.descriptor = descriptor
    port = SocketAddress.localPort(of: descriptor)
    self.path = path
    self.holder = holder
    self.loop = loop
    self.accepted = accepted
  }

  /// Starts accepting; called on the loop's thread.
  package func begin() {
    guard !isClosed else { return }
    registration = loop.add(self, descriptor: descriptor, events: EPOLLIN.rawValue)
    // A loop that was stopped before this ran does not close it.
    if registration == nil { close() }
  }

  package func ready(_ events: UInt32) {
    // A burst of connections must not delay the others.
    for _ in 0..<64 where !isClosed {
      let descriptor = curlew_accept(self.descriptor)
      guard descriptor >= 0 else { return pauseIfExhausted(errno) }
      accepted?(descriptor)
    }
  }

  /// Stops watching for a while when no descriptor is left.
  ///
  /// A waiting connection would otherwise keep the loop busy.
  private func pauseIfExhausted(_ code: Int32) {
    guard code == EMFILE || code == ENFILE, let registration else { return }
    loop.change(registration, descriptor: descriptor, events: 0)
    loop.schedule(after: .milliseconds(10)) { [weak self] in
      guard let self, !isClosed else { return }
      loop.change(registration, descriptor: descriptor, events: EPOLLIN.rawValue)
    }
  }

  package func loopEnds() { close() }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    accepted = nil
    if let registration { loop.remove(registration, descriptor: descriptor) }
    Glibc.close(descriptor)
    if let path { unlink(path) }
  }

  deinit {
    // A listener that never began, because a later one could not bind, is still open here.
    if !isClosed {
      Glibc.close(descriptor)
      if let path { unlink(path) }
    }
  }
}
