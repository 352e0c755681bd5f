import CurlewCore

/// Decides which requests share an HTTP/2 connection to an origin, without I/O.
///
/// While one stream of a connection is paused and others run, libcurl buffers what arrives for it, 32 MB and more, and finally
/// fails it. A body whose reader may be slow therefore has a connection of its own, called a lane. Bodies that are collected
/// share a lane until it is full (`StreamAllowance`) or one of them is paused nevertheless. Over HTTP/1.1 a connection carries one request at a time, and all
/// requests use lane 0.
///
/// A lane whose connection may be dead is retired: no request joins it, and what still runs on it may finish. Once it is empty,
/// its number is used again, with another generation, so that no later request matches the old connection.
struct HTTP2Lanes {
  /// What retiring a lane means for its connections.
  enum Retirement {
    /// The lane has been retired before, or does not exist.
    case none
    /// Requests still run on the lane.
    case inUse
    /// Nothing runs on the lane, so its connections can be closed.
    case empty
  }

  /// The requests on one connection.
  private struct Lane {
    var streamed = 0
    var collected = 0
    /// Whether the lane's transfers log frames; see `FrameLog`.
    var logsFrames = false
    /// The number of paused collected bodies; no request joins them.
    var paused = 0
    /// Whether its connection may be dead.
    var isRetired = false
    /// How often a lane of this number was retired before, at any origin.
    var generation: UInt64 = 0
    var haste = ConnectHaste()
    var hasStalled = false
    /// Whether a response came over its newest HTTP/2 connection, and nothing says that this connection is gone.
    var hasAnswered = false
    /// Whether one of its requests is making a further connection.
    var isExtending = false
    /// The local address of its newest connection; nil if that is unknown.
    var newest: String?
    /// When the lane became empty.
    var emptySince: UInt64 = 0

    var isEmpty: Bool { streamed == 0 && collected == 0 }
  }

  private final class Known {
    /// Whether the origin supports HTTP/2; nil before the first response.
    ///
    /// Once true it stays true: a single response over HTTP/1.1, for example to a request for that version, does not close the
    /// HTTP/2 connection of the others.
    var speaksHTTP2: Bool?
    /// When the last response came over HTTP/2.
    var answeredAt: UInt64 = 0
    var lanes: [Lane] = []
    var allowance = StreamAllowance()
    var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

    func board(_ delivery: ResponseDelivery, _ mayMultiplex: Bool, at now: UInt64) -> Int {
      let lane = lane(delivery, isShared: speaksHTTP2 ?? mayMultiplex, at: now)
      while lanes.count <= lane { lanes.append(Lane()) }
      // After a long pause the connection is probably closed.
      if lanes[lane].isEmpty, now &- lanes[lane].emptySince >= HTTP2Lanes.memory { lanes[lane].hasAnswered = false }
      if delivery == .streamed { lanes[lane].streamed += 1 } else { lanes[lane].collected += 1 }
      return lane
    }

    private func lane(_ delivery: ResponseDelivery, isShared: Bool, at now: UInt64) -> Int {
      // Lanes from before the first response have their own connections, which are reused.
      guard isShared else { return lanes.count > 1 ? lanes.firstIndex(where: \.isEmpty) ?? 0 : 0 }
      let free = lanes.firstIndex { lane in
        guard !lane.isRetired else { return false }
        if delivery == .streamed { return lane.isEmpty }
        return lane.streamed == 0 && lane.paused == 0
          && lane.collected < allowance.count(hasAnswered: lane.hasAnswered, at: now)
      }
      return free ?? lanes.count
    }

    /// Removes a request; returns whether its lane is now empty.
    func leave(_ delivery: ResponseDelivery, lane: Int, at now: UInt64) -> Bool {
      guard lanes.indices.contains(lane) else { return false }
      if delivery == .streamed { lanes[lane].streamed -= 1 } else { lanes[lane].collected -= 1 }
      guard lanes[lane].isEmpty else { return false }
      lanes[lane].logsFrames = false
      lanes[lane].emptySince = now
      lanes[lane].isExtending = false
      lanes[lane].newest = nil
      return true
    }

    func setPaused(_ isPaused: Bool, lane: Int) {
      if lanes.indices.contains(lane) { lanes[lane].paused += isPaused ? 1 : -1 }
    }
  }

  private static let mostRemembered = 4_096
  /// The nanoseconds for which an idle connection is expected to be still open.
  private static let memory: UInt64 = 10_000_000_000
  private var known = OriginTable<Known>()
  /// Whether any lane has ever logged frames.
  ///
  /// If not, requests need not look up their lane.
  private var hasLoggingLanes = false
  /// Whether any lane was ever retired; if not, requests need not look up their lane.
  private var hasRetired = false
  /// The number of lanes that were replaced.
  private var generations: UInt64 = 0

  /// Chooses the lane of a request that is about to be sent.
  ///
  /// - Parameter mayMultiplex: Whether an unknown origin may turn out to support HTTP/2.
  mutating func board(
    _ origin: Origin, _ delivery: ResponseDelivery, mayMultiplex: Bool, at now: UInt64 = 0
  ) -> Int {
    known.entry(origin) { Known() }.board(delivery, mayMultiplex, at: now)
  }

  /// Records that a collected body was paused or resumed.
  mutating func setPaused(_ isPaused: Bool, _ origin: Origin, lane: Int) {
    known[origin]?.setPaused(isPaused, lane: lane)
  }

  /// Records the end of a request.
  ///
  /// - Returns: Whether it was the last one on a retired lane, whose connections can now be closed.
  @discardableResult
  mutating func leave(_ origin: Origin, _ delivery: ResponseDelivery, lane: Int, at now: UInt64 = 0) -> Bool {
    guard let entry = known[origin], entry.leave(delivery, lane: lane, at: now) else { return false }
    let wasRetired = entry.lanes[lane].isRetired
    if wasRetired { renew(entry, lane) }
    if known.count > Self.mostRemembered, entry.isEmpty { known.remove(origin) }
    return wasRetired
  }

  // MARK: Lanes whose connections may be dead

  /// Lets no further request join a lane.
  ///
  /// - Parameter generation: The lane's generation when its connection was made; a later one has other connections.
  mutating func retire(_ origin: Origin, lane: Int, generation: UInt64) -> Retirement {
    guard let entry = known[origin], entry.lanes.indices.contains(lane), !entry.lanes[lane].isRetired,
      entry.lanes[lane].generation == generation
    else { return .none }
    guard entry.lanes[lane].isEmpty else {
      entry.lanes[lane].isRetired = true
      hasRetired = true
      return .inUse
    }
    renew(entry, lane)
    return .empty
  }

  /// Replaces an empty lane, so that the next request on it uses another connection.
  private mutating func renew(_ entry: Known, _ lane: Int) {
    hasRetired = true
    generations += 1
    entry.lanes[lane] = Lane(generation: generations)
  }

  /// Returns the generation of a lane; 0 for one that was never retired.
  mutating func generation(_ origin: Origin, lane: Int) -> UInt64 {
    guard hasRetired, let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return 0 }
    return lanes[lane].generation
  }

  /// Returns the name that keeps the connections of a lane apart from all others; nil for the first lane.
  mutating func name(_ origin: Origin, lane: Int) -> String? {
    let generation = generation(origin, lane: lane)
    if generation > 0 { return "\(lane).\(generation)" }
    return lane == 0 ? nil : String(lane)
  }

  /// Returns whether a lane is retired.
  mutating func isRetired(_ origin: Origin, lane: Int) -> Bool {
    guard hasRetired, let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return false }
    return lanes[lane].isRetired
  }

  /// Returns whether no request uses the connections of a lane; true for those of an earlier generation.
  mutating func isEmpty(_ origin: Origin, lane: Int, generation: UInt64) -> Bool {
    guard let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return true }
    return lanes[lane].isEmpty || lanes[lane].generation != generation
  }

  /// Returns whether requests still run on a retired lane of an origin.
  mutating func hasRetiredLane(_ origin: Origin) -> Bool {
    hasRetired && known[origin]?.lanes.contains(where: \.isRetired) == true
  }

  // MARK: Connections that take long

  /// Returns whether a request that waits for a connection should make one of its own, and counts it.
  mutating func goesAhead(_ origin: Origin, lane: Int, at now: UInt64, since: UInt64) -> Bool {
    guard let entry = known[origin], entry.lanes.indices.contains(lane) else { return false }
    return entry.lanes[lane].haste.goesAhead(at: now, since: since)
  }

  /// Records that a request makes a connection on a lane, because it has none or those that it has take no more requests.
  ///
  /// Until the new connection has answered, few requests join the lane. Otherwise each of them would make one more connection, as
  /// when a server ends a connection that many requests share (GOAWAY).
  mutating func extends(_ origin: Origin, lane: Int) {
    guard let entry = known[origin], entry.lanes.indices.contains(lane) else { return }
    entry.lanes[lane].hasAnswered = false
    entry.lanes[lane].isExtending = true
  }

  /// Records that the request which made a connection on a lane has ended or moved without it, or speaks HTTP/1.1 over it.
  mutating func extendedInVain(_ origin: Origin, lane: Int) {
    guard let entry = known[origin], entry.lanes.indices.contains(lane) else { return }
    entry.lanes[lane].isExtending = false
  }

  /// Records that something arrived on an idle connection of a lane, which is mostly the server's announcement of its end.
  mutating func doubt(_ origin: Origin, lane: Int, generation: UInt64) {
    guard let entry = known[origin], entry.lanes.indices.contains(lane), entry.lanes[lane].isEmpty,
      entry.lanes[lane].generation == generation
    else { return }
    entry.lanes[lane].hasAnswered = false
  }

  /// Records that an HTTP/2 connection of a lane is ready.
  ///
  /// - Parameters:
  ///   - address: The local address of the connection; nil if it has none.
  ///   - others: The number of requests on the lane's other connections, which took no more; 0 if it had none.
  mutating func connected(_ origin: Origin, lane: Int, from address: String? = nil, at now: UInt64, others: Int) {
    guard let entry = known[origin], entry.lanes.indices.contains(lane) else { return }
    entry.lanes[lane].haste.connected(at: now)
    entry.lanes[lane].isExtending = false
    entry.lanes[lane].newest = address
    if others > 0 { entry.allowance.overflowed(running: others, at: now) }
  }

  /// Records that a request timed out on a connection that carries bytes, and on which nothing arrives.
  mutating func stalled(_ origin: Origin, lane: Int, at now: UInt64) {
    guard let entry = known[origin], entry.lanes.indices.contains(lane), !entry.lanes[lane].hasStalled else { return }
    entry.lanes[lane].hasStalled = true
    entry.allowance.stalled(running: entry.lanes[lane].collected, at: now)
  }

  /// Returns whether a request that has just boarded should wait for the connection of another one on its lane.
  ///
  /// The first request on a lane without a connection makes one. On a lane that has answered, requests beyond the usual few would all
  /// wait for one further connection, if the first one takes no more.
  mutating func waitsForConnection(_ origin: Origin, lane: Int) -> Bool {
    guard let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return false }
    let count = lanes[lane].collected
    return count > 1 && (!lanes[lane].hasAnswered || count <= StreamAllowance.first)
  }

  /// Returns when the last HTTP/2 connection of a lane was ready; 0 if none was.
  mutating func connectedAt(_ origin: Origin, lane: Int) -> UInt64 {
    guard let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return 0 }
    return lanes[lane].haste.connectedAt
  }

  /// Returns when the last response came over HTTP/2; 0 if none has.
  mutating func answeredAt(_ origin: Origin) -> UInt64 { known[origin]?.answeredAt ?? 0 }

  // MARK: Frames

  /// Returns whether the transfers on a lane log frames.
  mutating func logsFrames(_ origin: Origin, lane: Int) -> Bool {
    guard hasLoggingLanes, let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return false }
    return lanes[lane].logsFrames
  }

  /// Makes a lane's transfers log frames until the lane is empty.
  ///
  /// - Returns: False if they already do.
  mutating func logFrames(_ origin: Origin, lane: Int) -> Bool {
    guard let entry = known[origin], entry.lanes.indices.contains(lane), !entry.lanes[lane].logsFrames else {
      return false
    }
    entry.lanes[lane].logsFrames = true
    hasLoggingLanes = true
    return true
  }

  /// Returns whether a response of the origin came over HTTP/2.
  mutating func speaksHTTP2(_ origin: Origin) -> Bool { known[origin]?.speaksHTTP2 == true }

  /// Records the HTTP version of a response.
  ///
  /// - Parameter address: The local address of its connection; nil if it has none.
  mutating func responded(
    _ origin: Origin, http2: Bool, lane: Int? = nil, to address: String? = nil, at now: UInt64 = 0
  ) {
    guard let known = known[origin] else { return }
    if http2 { known.answeredAt = now }
    known.speaksHTTP2 = http2 || known.speaksHTTP2 == true
    guard http2, let lane, known.lanes.indices.contains(lane), !known.lanes[lane].hasAnswered else { return }
    let newest = known.lanes[lane].newest
    known.lanes[lane].hasAnswered = !known.lanes[lane].isExtending && (newest == nil || newest == address)
  }
}

/// Decides how many requests share one HTTP/2 connection to an origin, without I/O.
///
/// A server says how many streams it allows only after the client may have opened more, and some servers then stall all of them.
/// So few requests use a connection that has not answered yet. libcurl knows the limit of one that has, and opens another connection
/// beyond it, which shows the limit for all connections to the origin. A server that was slow for a while looks the same as one that
/// stalls, so a limit is forgotten after some time.
struct StreamAllowance: Equatable {
  /// The number before an answer; the smallest limit of a common server.
  static let first = 8
  /// The number after an answer; libcurl's own limit.
  static let usual = 100

  /// The nanoseconds for which a limit holds.
  static let memory: UInt64 = 600_000_000_000

  private var limit: Int?
  private var until: UInt64 = 0

  /// Returns how many requests may use a connection.
  ///
  /// - Parameter hasAnswered: Whether a response came over the connection.
  func count(hasAnswered: Bool, at now: UInt64) -> Int {
    if let limit, now < until { return limit }
    return hasAnswered ? Self.usual : Self.first
  }

  /// Records that libcurl opened another connection beside one with this many requests.
  mutating func overflowed(running: Int, at now: UInt64) { learn(max(Self.first, running), at: now) }

  /// Records that nothing arrived any more on a connection with this many requests.
  mutating func stalled(running: Int, at now: UInt64) {
    if running > 1 { learn(min(Self.first, running / 2), at: now) }
  }

  /// Keeps a limit, unless a smaller one holds.
  private mutating func learn(_ limit: Int, at now: UInt64) {
    if let known = self.limit, now < until, known < limit { return }
    self.limit = limit
    until = now &+ Self.memory
  }
}

/// Decides when a request no longer waits for the connection that another one is making, without I/O.
///
/// Requests that can share an HTTP/2 connection wait for the first one to make it. If that takes long, because the server does
/// not answer, one of them makes another connection, and the rest use whichever is ready first. Each further connection comes
/// after twice the time.
struct ConnectHaste {
  /// The nanoseconds that a request waits at first.
  static let patience: UInt64 = 500_000_000

  private var wait = Self.patience
  private var next: UInt64 = 0
  /// When the last HTTP/2 connection was ready.
  private(set) var connectedAt: UInt64 = 0

  /// Returns whether a request should make a connection of its own, and counts it.
  ///
  /// - Parameter since: When the request began to wait.
  mutating func goesAhead(at now: UInt64, since: UInt64) -> Bool {
    guard now >= max(next, since &+ Self.patience) else { return false }
    wait *= 2
    next = now &+ wait
    return true
  }

  /// Records that a connection is ready.
  mutating func connected(at now: UInt64) { self = ConnectHaste(connectedAt: now) }

  init(connectedAt: UInt64 = 0) { self.connectedAt = connectedAt }
}
