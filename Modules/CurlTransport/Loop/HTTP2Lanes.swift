import CurlewCore

/// Which requests share a connection to an origin that speaks HTTP/2. Pure.
///
/// While one stream of a connection is paused and others run, libcurl keeps what arrives for it: 32 MB and more, and at
/// last it gives up on it. So a body whose reader may be slow gets a lane, a connection, of its own, and those that are
/// collected share one until one of them is paused all the same. Over HTTP/1.1 a connection carries one request at a
/// time, and all share lane 0.
struct HTTP2Lanes {
  /// A connection's passengers.
  private struct Lane {
    var streamed = 0
    var collected = 0
    /// Whether the transfers on it log frames; see `FrameLog`.
    var logsFrames = false
    /// How many of the collected ones are paused; nobody joins them.
    var paused = 0

    var isEmpty: Bool { streamed == 0 && collected == 0 }
  }

  private final class Known {
    /// Nil before the first response.
    ///
    /// Stays true once it is: a single response over HTTP/1.1, as to a request that asked for that version, does not close
    /// the HTTP/2 connection that is there for the others.
    @exclusivity(unchecked) var speaksHTTP2: Bool?
    @exclusivity(unchecked) var lanes: [Lane] = []
    var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

    func board(_ delivery: ResponseDelivery, _ mayMultiplex: Bool) -> Int {
      let lane = lane(delivery, isShared: speaksHTTP2 ?? mayMultiplex)
      while lanes.count <= lane { lanes.append(Lane()) }
      if delivery == .streamed { lanes[lane].streamed += 1 } else { lanes[lane].collected += 1 }
      return lane
    }

    private func lane(_ delivery: ResponseDelivery, isShared: Bool) -> Int {
      // Lanes that were taken before the first response have connections of their own, which are used again.
      guard isShared else { return lanes.count > 1 ? lanes.firstIndex(where: \.isEmpty) ?? 0 : 0 }
      let free = lanes.firstIndex { lane in
        delivery == .streamed ? lane.isEmpty : lane.streamed == 0 && lane.paused == 0
      }
      return free ?? lanes.count
    }

    /// Whether nobody is left.
    func leave(_ delivery: ResponseDelivery, lane: Int) -> Bool {
      guard lanes.indices.contains(lane) else { return isEmpty }
      if delivery == .streamed { lanes[lane].streamed -= 1 } else { lanes[lane].collected -= 1 }
      if lanes[lane].streamed == 0, lanes[lane].collected == 0 { lanes[lane].logsFrames = false }
      return isEmpty
    }

    func setPaused(_ isPaused: Bool, lane: Int) {
      if lanes.indices.contains(lane) { lanes[lane].paused += isPaused ? 1 : -1 }
    }
  }

  private static let mostRemembered = 4_096
  private var known = OriginTable<Known>()
  /// Whether any lane ever logged frames; without, no request has to look for its lane's.
  private var hasLoggingLanes = false

  /// Chooses the lane of a request that goes on the wire.
  ///
  /// - Parameter mayMultiplex: Whether an origin that is not known yet may turn out to speak HTTP/2.
  mutating func board(_ origin: Origin, _ delivery: ResponseDelivery, mayMultiplex: Bool) -> Int {
    known.entry(origin) { Known() }.board(delivery, mayMultiplex)
  }

  /// A collected body is paused, or goes on.
  mutating func setPaused(_ isPaused: Bool, _ origin: Origin, lane: Int) {
    known[origin]?.setPaused(isPaused, lane: lane)
  }

  /// A request came off the wire.
  mutating func leave(_ origin: Origin, _ delivery: ResponseDelivery, lane: Int) {
    let isEmpty = known[origin]?.leave(delivery, lane: lane) ?? false
    if isEmpty, known.count > Self.mostRemembered { known.remove(origin) }
  }

  /// Whether the transfers on a lane log frames.
  mutating func logsFrames(_ origin: Origin, lane: Int) -> Bool {
    guard hasLoggingLanes, let lanes = known[origin]?.lanes, lanes.indices.contains(lane) else { return false }
    return lanes[lane].logsFrames
  }

  /// Has a lane's transfers log frames until nobody is on it; false when they do already.
  mutating func logFrames(_ origin: Origin, lane: Int) -> Bool {
    guard let entry = known[origin], entry.lanes.indices.contains(lane), !entry.lanes[lane].logsFrames else {
      return false
    }
    entry.lanes[lane].logsFrames = true
    hasLoggingLanes = true
    return true
  }

  /// Whether a response of the origin came over HTTP/2.
  mutating func speaksHTTP2(_ origin: Origin) -> Bool { known[origin]?.speaksHTTP2 == true }

  /// A response tells which version the origin speaks.
  mutating func responded(_ origin: Origin, http2: Bool) {
    guard let known = known[origin] else { return }
    known.speaksHTTP2 = http2 || known.speaksHTTP2 == true
  }
}
