import CurlewCore

/// Decides which requests share an HTTP/2 connection to an origin, without I/O.
///
/// While one stream of a connection is paused and others run, libcurl buffers what arrives for it, 32 MB and more, and finally
/// fails it. A body whose reader may be slow therefore has a connection of its own, called a lane. Bodies that are collected
/// share a lane until one of them is paused nevertheless. Over HTTP/1.1 a connection carries one request at a time, and all
/// requests use lane 0.
struct HTTP2Lanes {
  /// The requests on one connection.
  private struct Lane {
    var streamed = 0
    var collected = 0
    /// Whether the lane's transfers log frames; see `FrameLog`.
    var logsFrames = false
    /// The number of paused collected bodies; no request joins them.
    var paused = 0

    var isEmpty: Bool { streamed == 0 && collected == 0 }
  }

  private final class Known {
    /// Whether the origin supports HTTP/2; nil before the first response.
    ///
    /// Once true it stays true: a single response over HTTP/1.1, for example to a request for that version, does not close the
    /// HTTP/2 connection of the others.
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
      // Lanes from before the first response have their own connections, which are reused.
      guard isShared else { return lanes.count > 1 ? lanes.firstIndex(where: \.isEmpty) ?? 0 : 0 }
      let free = lanes.firstIndex { lane in
        delivery == .streamed ? lane.isEmpty : lane.streamed == 0 && lane.paused == 0
      }
      return free ?? lanes.count
    }

    /// Removes a request; returns whether no request is left.
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
  /// Whether any lane has ever logged frames.
  ///
  /// If not, requests need not look up their lane.
  private var hasLoggingLanes = false

  /// Chooses the lane of a request that is about to be sent.
  ///
  /// - Parameter mayMultiplex: Whether an unknown origin may turn out to support HTTP/2.
  mutating func board(_ origin: Origin, _ delivery: ResponseDelivery, mayMultiplex: Bool) -> Int {
    known.entry(origin) { Known() }.board(delivery, mayMultiplex)
  }

  /// Records that a collected body was paused or resumed.
  mutating func setPaused(_ isPaused: Bool, _ origin: Origin, lane: Int) {
    known[origin]?.setPaused(isPaused, lane: lane)
  }

  /// Records the end of a request.
  mutating func leave(_ origin: Origin, _ delivery: ResponseDelivery, lane: Int) {
    let isEmpty = known[origin]?.leave(delivery, lane: lane) ?? false
    if isEmpty, known.count > Self.mostRemembered { known.remove(origin) }
  }

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
  mutating func responded(_ origin: Origin, http2: Bool) {
    guard let known = known[origin] else { return }
    known.speaksHTTP2 = http2 || known.speaksHTTP2 == true
  }
}
