import CLibcurl
import CurlewCore
import Glibc

/// Leaves connections that may be dead.
///
/// A network can drop a connection silently: nothing arrives, and nothing says so. libcurl closes an HTTP/1.1 connection on
/// which a request timed out, but offers an HTTP/2 connection to the next request, and so it does with all idle connections,
/// which died at the same moment. After a timeout no request therefore joins a connection to the same origin or address
/// from which nothing has arrived lately. What runs on such a connection may finish.
extension EventLoop {
  /// A request that timed out.
  struct Silence {
    var origin: Origin
    /// The address that it was sent to; nil for a Unix socket.
    var remote: String?
    /// Its lane, if the connection is unknown to `SocketTable`.
    var lane: (number: Int, generation: UInt64)?
  }

  /// The milliseconds without a byte after which a connection may be dead.
  ///
  /// A server that answers other requests is alive, and keeps its connections.
  private static let silence: UInt32 = 250

  static func isSilent(_ descriptor: Int32) -> Bool { SocketTable.silence(of: descriptor) ?? .max >= silence }

  /// Leaves all connections that may have died with those on which requests timed out.
  ///
  /// Call it before another request chooses a connection.
  func leaveSilent() {
    guard !silences.isEmpty else { return }
    let ended = silences
    silences = []
    let origins = Set(ended.map(\.origin))
    let remotes = Set(ended.compactMap(\.remote))
    for silence in ended {
      if let lane = silence.lane { leave(silence.origin, lane: lane.number, lane.generation) }
    }
    for (descriptor, connection) in sockets.connections {
      guard origins.contains(connection.origin) || connection.place.remote.map(remotes.contains) ?? false,
        Self.isSilent(descriptor)
      else { continue }
      leave(descriptor, connection)
    }
  }

  /// Expects little of an idle HTTP/2 connection on which something has arrived.
  func noteIdleBytes(_ descriptor: Int32) {
    guard let connection = sockets.connections[descriptor], connection.isHTTP2 else { return }
    // libcurl may have read meanwhile what the event was about, which was part of an answer then.
    guard SocketTable.isUsed(descriptor) else { return }
    origins.doubt(connection.origin, lane: connection.lane, generation: connection.generation)
  }

  /// Leaves all connections: the machine slept, or its network is another one.
  func leaveAll() {
    for (descriptor, connection) in sockets.connections { leave(descriptor, connection) }
  }

  func leave(_ descriptor: Int32, _ connection: SocketTable.Connection) {
    if connection.isHTTP2 {
      leave(connection.origin, lane: connection.lane, connection.generation)
    } else if sockets.entries[Int(descriptor)].isResting {
      retire(descriptor)
    }
  }

  /// Lets no further request join a lane, and moves those that have not been sent.
  func leave(_ origin: Origin, lane: Int, _ generation: UInt64) {
    switch origins.retire(origin, lane: lane, generation: generation) {
    case .none: break
    case .empty: closeLane(origin, lane, generation)
    case .inUse:
      let waiting = running.filter { $0.lane == lane && $0.plan.origin == origin && $0.hasNoConnection }
      for flight in waiting { flight.boardAgain() }
    }
  }

  /// Returns the number of requests on a lane that have a connection.
  func countConnected(on lane: Int, _ origin: Origin) -> Int {
    running.count { $0.lane == lane && $0.phase.isConnected && $0.plan.origin == origin }
  }

  /// Shuts down the connections of a retired lane, which nobody uses.
  ///
  /// libcurl keeps an HTTP/2 connection whose last transfer it ended itself. It closes it when it next looks at it.
  func closeLane(_ origin: Origin, _ lane: Int, _ generation: UInt64) {
    for (descriptor, connection) in sockets.connections
    where connection.isHTTP2 && connection.lane == lane && connection.generation == generation
      && connection.origin == origin
    {
      sockets.retire(descriptor)
    }
  }
}

extension SocketTable {
  /// Returns the milliseconds since a byte arrived, or the connection was made; nil if it is no TCP connection.
  static func silence(of descriptor: Int32) -> UInt32? { information(of: descriptor)?.tcpi_last_data_recv }

  /// Whether the peer's kernel has received all that was sent; false if it is no TCP connection.
  static func hasDelivered(_ descriptor: Int32) -> Bool { information(of: descriptor)?.tcpi_unacked == 0 }

  private static func information(of descriptor: Int32) -> tcp_info? {
    var info = tcp_info()
    var length = socklen_t(MemoryLayout<tcp_info>.size)
    let code = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
    return code == 0 ? info : nil
  }

  /// Whether another connection of the same lane is open.
  func hasOther(than new: Connection) -> Bool {
    connections.values.contains { other in
      other.isHTTP2 && other.lane == new.lane && other.generation == new.generation && other.origin == new.origin
        && other.place != new.place
    }
  }
}

extension CurlFlight {
  /// The silence after which the connection of a cancelled request is left, in milliseconds.
  private static let cancelledSilence: UInt32 = 1_000

  /// Records that the connection may be dead, if the request ended because nothing arrived.
  ///
  /// A request that its caller cancelled after a while counts as well, but says nothing of other connections.
  func noteSilence(_ error: (any Error)?) {
    guard let error, phase.isConnected, let lane else { return }
    let place = connectionPlace
    let descriptor = loop.sockets.descriptor(at: place)
    if (error as? NetworkError)?.isTimeout == true {
      var silence = EventLoop.Silence(origin: plan.origin, remote: place.remote)
      if descriptor == nil, plan.mayMultiplex {
        silence.lane = (lane, loop.origins.generation(plan.origin, lane: lane))
      }
      if let descriptor, loop.sockets.connections[descriptor]?.isHTTP2 == true,
        pauses.isEmpty, EventLoop.isSilent(descriptor), SocketTable.hasDelivered(descriptor)
      {
        loop.origins.stalled(plan.origin, lane: lane, at: loop.now)
      }
      loop.silences.append(silence)
    } else if isCancelled, let descriptor, let connection = loop.sockets.connections[descriptor], connection.isHTTP2,
      SocketTable.silence(of: descriptor) ?? 0 >= Self.cancelledSilence
    {
      loop.leave(plan.origin, lane: lane, connection.generation)
    }
  }
}

/// Ends HTTP/2 connections on which the server has violated the protocol.
///
/// After a connection error the connection must be closed (RFC 9113 §5.4.1). libcurl sends GOAWAY and ignores what follows, but can
/// leave the connection open and its requests waiting until a timeout, unless the server causes another event.
extension EventLoop {
  /// The nanoseconds after libcurl has worked until its messages are looked at.
  ///
  /// So the messages of many requests are looked at once for many events.
  private static let inspectionDelay: UInt64 = 20_000_000

  /// Schedules a look at libcurl's messages, if there was ever an HTTP/2 connection.
  ///
  /// libcurl can read a frame at one call and find at another that it ends the connection.
  func scheduleInspection() {
    if nextInspection == nil, sockets.hasSpokenHTTP2 { nextInspection = now &+ Self.inspectionDelay }
  }

  /// Shuts down the connections of requests for which libcurl has reported a violation; libcurl then ends all their requests.
  ///
  /// The descriptor of a Unix socket is unknown, so there the timeout remains.
  func endBroken() {
    nextInspection = nil
    for flight in running where flight.sawViolation {
      if let descriptor = sockets.descriptor(at: flight.connectionPlace) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}

extension CurlFlight {
  /// Whether libcurl has reported a violation of RFC 9113 by the server, although the transfer goes on.
  fileprivate var sawViolation: Bool {
    guard let errorText, errorText.pointee != 0, speaksHTTP2 else { return false }
    return StreamReset.isViolation(words)
  }
}

/// The timeouts that the loop itself enforces for its flights.
extension EventLoop {
  /// Schedules a check at the flight's next deadline.
  func scheduleCheck(_ flight: CurlFlight) {
    guard var due = flight.deadline else { return }
    if flight.mayShareConnection { due = min(due, flight.boardedAt &+ ConnectHaste.patience) }
    nextCheck = min(nextCheck ?? .max, due)
  }

  /// Checks every flight and schedules the next check.
  ///
  /// The next check is when the first flight can be due, at least 5 ms from now.
  func checkDeadlines(at now: UInt64) {
    var next = UInt64.max
    var expired: [CurlFlight] = []
    for flight in running {
      guard let due = flight.observedDeadline(at: now) else { continue }
      if due <= now { expired.append(flight) } else { next = min(next, due) }
    }
    for flight in expired {
      flight.failLate(at: now)
      abort(flight)
    }
    leaveSilent()
    if let due = hasten(at: now) { next = min(next, due) }
    nextCheck = next == .max ? nil : max(next, now + 5_000_000)
  }
}
