import CurlewCore

/// Which requests share a connection to an origin that speaks HTTP/2. Pure.
///
/// While one stream of a connection waits for its reader and others run, libcurl keeps what arrives for it: 32 MB and
/// more, and at last it gives up on it. So a body whose reader may be slow gets a lane, a connection, of its own, and
/// those that are collected share one. Lane 0 is everyone's as long as HTTP/2 is not known to be spoken.
struct OriginLedger {
  /// A connection's passengers.
  private struct Lane {
    var streamed = 0
    var collected = 0
  }

  private final class Known {
    @exclusivity(unchecked) var speaksHTTP2: Bool?
    @exclusivity(unchecked) var lanes: [Lane] = []
    var isEmpty: Bool { lanes.allSatisfy { $0.streamed == 0 && $0.collected == 0 } }

    func board(_ delivery: ResponseDelivery) -> Int {
      var lane = 0
      if speaksHTTP2 == true {
        let free = lanes.firstIndex { lane in
          delivery == .streamed ? lane.streamed == 0 && lane.collected == 0 : lane.streamed == 0
        }
        lane = free ?? lanes.count
      }
      while lanes.count <= lane { lanes.append(Lane()) }
      if delivery == .streamed { lanes[lane].streamed += 1 } else { lanes[lane].collected += 1 }
      return lane
    }

    /// Whether nobody is left.
    func leave(_ delivery: ResponseDelivery, lane: Int) -> Bool {
      guard lanes.indices.contains(lane) else { return isEmpty }
      if delivery == .streamed { lanes[lane].streamed -= 1 } else { lanes[lane].collected -= 1 }
      return isEmpty
    }
  }

  private static let mostRemembered = 4_096
  private var known = OriginTable<Known>()

  /// Chooses the lane of a request that goes on the wire.
  mutating func board(_ origin: Origin, _ delivery: ResponseDelivery) -> Int {
    known.entry(origin) { Known() }.board(delivery)
  }

  /// A request came off the wire.
  mutating func leave(_ origin: Origin, _ delivery: ResponseDelivery, lane: Int) {
    let isEmpty = known[origin]?.leave(delivery, lane: lane) ?? false
    if isEmpty, known.count > Self.mostRemembered { known.remove(origin) }
  }

  /// Whether the origin's last response came over HTTP/2.
  mutating func speaksHTTP2(_ origin: Origin) -> Bool { known[origin]?.speaksHTTP2 == true }

  /// A response tells which version the origin speaks.
  mutating func responded(_ origin: Origin, http2: Bool) { known[origin]?.speaksHTTP2 = http2 }
}
