import CLibcurl
import CurlewCore
import Glibc

/// HTTP/1.1 connections between two requests.
///
/// Nothing may arrive there but the connection's end: a response that comes before its request would be taken for the
/// answer to the next one (RFC 9112 §6.3). Some versions of libcurl take it so. Therefore a resting connection that turns
/// readable is retired: shut down and emptied, which every version of libcurl sees when it looks for a connection to use.
extension EventLoop {
  /// Retires the connections on which something arrived while they rested.
  ///
  /// - Parameter count: How many events were found; none of them was acted on, so that libcurl has not chosen one since.
  func retireRested(among count: Int) {
    for index in 0..<count {
      if let descriptor = sockets.restingConnection(index) { retire(descriptor) }
    }
  }

  /// Looks at the connections that began to rest since epoll last looked; called before libcurl may choose one.
  func lookAtRested() {
    for descriptor in sockets.released where sockets.entries[Int(descriptor)].isResting {
      if SocketTable.isUsed(descriptor) { retire(descriptor) }
    }
  }

  private func retire(_ descriptor: Int32) {
    sockets.entries[Int(descriptor)].isResting = false
    // libcurl does not tell of a socket that it reuses for a transfer and pauses at once.
    if !running.contains(where: { $0.holds(descriptor) }) { sockets.retire(descriptor) }
  }
}

extension CurlFlight {
  /// Whether it uses a connection of which libcurl wants to hear nothing for now; true where that cannot be told.
  fileprivate func holds(_ descriptor: Int32) -> Bool {
    guard !pauses.isEmpty, phase.isConnected else { return false }
    return loop.sockets.descriptor(at: connectionPlace).map { $0 == descriptor } ?? true
  }

  /// The two ends of the connection it uses.
  var connectionPlace: SocketTable.Place { .init(local: metrics.localAddress, remote: metrics.remoteAddress) }
}

extension SocketTable {
  /// The two ends of a connection, which no other has as long as it is open.
  struct Place: Hashable {
    var local: String?
    var remote: String?
  }

  /// Notes the ends of a connection that was made for a transfer.
  ///
  /// - Parameter port: Its own port; 0 for a Unix socket, whose ends have no names.
  func note(_ place: Place, of user: EasyHandle, port: Int32) {
    guard port > 0 else { return }
    let index = unplaced.lastIndex { descriptor in
      let known = entries[Int(descriptor)].user
      // libcurl asks for no event of a connection that is made at once.
      return known == user || (known == nil && Socket.port(of: descriptor) == port)
    }
    guard let index else { return }
    let descriptor = unplaced.remove(at: index)
    places[descriptor] = place
    descriptors[place] = descriptor
  }

  /// The connection with these ends; nil for a Unix socket.
  func descriptor(at place: Place) -> Int32? { descriptors[place] }

  /// A connection is closed.
  func forget(_ descriptor: Int32) {
    if let place = places.removeValue(forKey: descriptor) {
      descriptors[place] = nil
    } else {
      unplaced.removeAll { $0 == descriptor }
    }
  }

  /// A transfer got its whole HTTP/1.1 response, and its connection may be kept.
  func rest(_ user: EasyHandle, at place: @autoclosure () -> Place) {
    for descriptor in released where entries[Int(descriptor)].user == user { return rest(descriptor) }
    // A transfer that was paused can end without libcurl asking for its socket again.
    guard let descriptor = descriptor(at: place()) else { return }
    released.append(descriptor)
    rest(descriptor)
  }

  private func rest(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].wanted == 0 else { return }
    entries[index].user = nil
    entries[index].isResting = true
    register(descriptor, for: EPOLLIN.rawValue)
  }

  /// Whether something arrived on a connection on which nothing was asked: bytes, its end, or an error.
  static func isUsed(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count >= 0 || (errno != EAGAIN && errno != EINTR)
  }

  /// Makes a connection one that libcurl finds closed.
  fileprivate func retire(_ descriptor: Int32) {
    unregister(descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
    // Over TLS libcurl calls a connection alive on which there are bytes to read. After the shutdown no more are taken in,
    // so that this ends.
    var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    while recv(descriptor, &bytes, MemoryLayout.size(ofValue: bytes), Int32(MSG_DONTWAIT)) > 0 {}
  }
}

/// What the kernel says of a socket.
private enum Socket {
  /// Its own port; nil where it has none.
  static func port(of descriptor: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown, address.ss_family == AF_INET || address.ss_family == AF_INET6 else { return nil }
    // Both families have the port behind the family, in network order.
    return withUnsafeBytes(of: &address) { Int32($0[2]) << 8 | Int32($0[3]) }
  }
}
