import CLibcurl
import CurlewCore
import Glibc

/// Checks HTTP/1.1 connections that rest between two requests.
///
/// The only valid event on such a connection is its end. A response that arrives before its request would be taken for the
/// answer to the next one, which some versions of libcurl do (RFC 9112 §6.3). A resting connection that becomes readable is
/// therefore retired: it is shut down and emptied, which every version of libcurl notices when it chooses a connection.
extension EventLoop {
  /// Retires the connections on which something arrived while they rested.
  ///
  /// - Parameter count: The number of events. None has been processed yet, so libcurl has not chosen a connection since.
  func retireRested(among count: Int) {
    for index in 0..<count {
      if let descriptor = sockets.restingConnection(index) { retire(descriptor) }
    }
  }

  /// Checks the connections that began to rest since the last call of epoll, each once.
  ///
  /// Call it before libcurl may choose a connection.
  func lookAtRested() {
    while let descriptor = sockets.newlyResting.popLast() {
      if sockets.entries[Int(descriptor)].isResting, SocketTable.isUsed(descriptor) { retire(descriptor) }
    }
  }

  func retire(_ descriptor: Int32) {
    sockets.entries[Int(descriptor)].isResting = false
    // libcurl does not report a socket that it reuses for a transfer and pauses at once.
    if !running.contains(where: { $0.holds(descriptor) }) { sockets.retire(descriptor) }
  }
}

extension CurlFlight {
  /// Whether a paused transfer uses the connection; true if that is unknown.
  fileprivate func holds(_ descriptor: Int32) -> Bool {
    guard !pauses.isEmpty, phase.isConnected else { return false }
    return loop.sockets.descriptor(at: connectionPlace).map { $0 == descriptor } ?? true
  }
}

extension SocketTable {
  /// The two addresses of a connection, which identify it while it is open.
  struct Place: Hashable {
    var local: String?
    var remote: String?
  }

  /// A connection that was made for a transfer.
  struct Connection {
    var place: Place
    var origin: Origin
    /// Its lane, and the lane's generation when it was made.
    var lane: Int
    var generation: UInt64
    var isHTTP2: Bool
  }

  /// Records a connection that was made for a transfer.
  ///
  /// - Parameter port: The local port; 0 for a Unix socket, which has no addresses.
  mutating func note(_ connection: Connection, of user: EasyHandle, port: Int32) {
    if connection.isHTTP2 { hasSpokenHTTP2 = true }
    guard port > 0 else { return }
    let index = unplaced.lastIndex { descriptor in
      let known = entries[Int(descriptor)].user
      // libcurl asks for no event of a connection that is established at once.
      return known == user || (known == nil && Socket.port(of: descriptor) == port)
    }
    guard let index else { return }
    let descriptor = unplaced.remove(at: index)
    connections[descriptor] = connection
    descriptors[connection.place] = descriptor
  }

  /// The connection with these addresses; nil for a Unix socket.
  func descriptor(at place: Place) -> Int32? { descriptors[place] }

  /// Removes a connection that was closed.
  mutating func forget(_ descriptor: Int32) {
    if let connection = connections.removeValue(forKey: descriptor) {
      // Another connection can have the addresses by now, if the peer closed this one.
      if descriptors[connection.place] == descriptor { descriptors[connection.place] = nil }
    } else {
      unplaced.removeAll { $0 == descriptor }
    }
  }

  /// Marks the connection of a complete HTTP/1.1 response as resting.
  mutating func rest(_ user: EasyHandle, at place: @autoclosure () -> Place) {
    for descriptor in released where entries[Int(descriptor)].user == user { return rest(descriptor) }
    // A paused transfer can end without a new event request for its socket from libcurl.
    guard let descriptor = descriptor(at: place()) else { return }
    released.append(descriptor)
    rest(descriptor)
  }

  private mutating func rest(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].wanted == 0 else { return }
    entries[index].user = nil
    entries[index].isResting = true
    newlyResting.append(descriptor)
    register(descriptor, for: EPOLLIN.rawValue)
  }

  /// Whether bytes, an end or an error arrived on a resting connection.
  static func isUsed(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count >= 0 || (errno != EAGAIN && errno != EINTR)
  }

  /// Shuts a connection down so that libcurl finds it closed.
  mutating func retire(_ descriptor: Int32) {
    unregister(descriptor)
    entries[Int(descriptor)].isRetired = true
    shutdown(descriptor, Int32(SHUT_RDWR))
    // Over TLS, libcurl takes a connection with unread bytes for alive. After the shutdown no more bytes are accepted, so this
    // loop ends.
    var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    while recv(descriptor, &bytes, MemoryLayout.size(ofValue: bytes), Int32(MSG_DONTWAIT)) > 0 {}
  }
}

/// Facts about a socket from the kernel.
private enum Socket {
  /// The local port; nil if it has none.
  static func port(of descriptor: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown, address.ss_family == AF_INET || address.ss_family == AF_INET6 else { return nil }
    // Both address families store the port after the family, in network byte order.
    return withUnsafeBytes(of: &address) { Int32($0[2]) << 8 | Int32($0[3]) }
  }
}
