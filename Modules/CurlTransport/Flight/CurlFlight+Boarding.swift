import CLibcurl
import CurlewCore

/// The choice of a connection, and of another one while nothing was sent.
extension CurlFlight {
  /// `CURLINFO_CONN_ID`, which libcurl 8.2 added.
  private static let connectionID = CURLINFO(rawValue: UInt32(CURLINFO_OFF_T) + 64)
  /// How long it makes a connection of its own before it joins one that is ready, in nanoseconds.
  private static let patience = 4 * ConnectHaste.patience

  /// Boards a lane, and sets the options that select its connection.
  ///
  /// - Returns: False if memory is exhausted.
  func board(_ easy: EasyHandle) -> Bool {
    let lane = loop.origins.board(plan.origin, plan.delivery, mayMultiplex: plan.mayMultiplex, at: loop.now)
    self.lane = lane
    boardedAt = loop.now
    // Without negotiation, all other requests would wait until the first response shows that there is no HTTP/2.
    if plan.delivery == .collected, plan.mayMultiplex {
      curlew_set_long(easy, CURLOPT_PIPEWAIT, loop.origins.waitsForConnection(plan.origin, lane: lane) ? 1 : 0)
    }
    if loop.origins.logsFrames(plan.origin, lane: lane) { logFrames() }
    guard let trust = plan.trust else {
      // Without TLS no option tells lanes apart, so each lane above the first uses a new connection.
      let isFresh = plan.isFresh || plan.isAlone || lane > 0 || loop.origins.hasRetiredLane(plan.origin)
      if isFresh { curlew_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
      return true
    }
    if plan.isFresh { curlew_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
    return trust.apply(to: easy, for: self, lane: loop.origins.name(plan.origin, lane: lane))
  }

  /// Leaves its lane.
  func leaveLane() {
    guard let lane else { return }
    endExtending()
    let generation = loop.origins.generation(plan.origin, lane: lane)
    guard loop.origins.leave(plan.origin, plan.delivery, lane: lane, at: loop.now) else { return }
    loop.closeLane(plan.origin, lane, generation)
  }

  /// Records on its lane that it makes a connection, beside those that its lane has.
  func beginExtending() {
    guard !hasOpenedSocket else { return }
    hasOpenedSocket = true
    if let lane, plan.mayMultiplex, !plan.isFresh { loop.origins.extends(plan.origin, lane: lane) }
  }

  /// Records on its lane that it makes no connection any more.
  private func endExtending() {
    if hasOpenedSocket, phase == .connecting, let lane { loop.origins.extendedInVain(plan.origin, lane: lane) }
    hasOpenedSocket = false
  }

  /// Whether libcurl has neither chosen a connection for it nor begun to make one.
  var hasNoConnection: Bool {
    guard phase == .connecting, let easy else { return false }
    var id: curl_off_t = 0
    return curlew_get_offset(easy, Self.connectionID, &id) == CURLE_OK && id < 0
  }

  /// Whether it has no connection yet, and may share the one of another request.
  var mayShareConnection: Bool { phase == .connecting && plan.delivery == .collected && plan.mayMultiplex }

  /// Boards another lane, if the connections of its own may be dead; nothing was sent yet.
  func boardAgain() {
    offerAgain { easy in
      leaveLane()
      return board(easy)
    }
  }

  /// Takes a connection that is ready, or makes one of its own, instead of waiting for another request's.
  func connectAlone() {
    goesAlone = true
    offerAgain { easy in
      curlew_set_long(easy, CURLOPT_PIPEWAIT, 0)
      return true
    }
  }

  /// Joins a connection that became ready while it was making its own, once.
  func joinReadyConnection(at now: UInt64) {
    guard !hasMoved, let lane, now &- boardedAt >= Self.patience,
      loop.origins.connectedAt(plan.origin, lane: lane) > boardedAt
    else { return }
    hasMoved = true
    offerAgain { _ in true }
  }

  /// Joins a connection that has answered since it boarded, once, and returns whether it does.
  ///
  /// Without TLS, libcurl shares a connection only after its first response, and whoever waits for that one sees no other.
  func joinAnsweredConnection() -> Bool {
    guard !hasMoved, plan.trust == nil, loop.origins.answeredAt(plan.origin) > boardedAt else { return false }
    hasMoved = true
    connectAlone()
    return true
  }

  /// Lets libcurl choose a connection once more, with changed options.
  private func offerAgain(_ change: (EasyHandle) -> Bool) {
    guard let easy, phase == .connecting else { return }
    curl_multi_remove_handle(loop.multi, easy)
    endExtending()
    // What a proxy or a server said on the connection that is given up concerns no other one.
    parser = HeadParser(loop.headLimits)
    connectHeads = []
    offeredSession = []
    lacksIdentity = false
    let isChanged = change(easy)
    setLimits(easy)
    if !isChanged || curl_multi_add_handle(loop.multi, easy) != CURLM_OK {
      fail(.exhausted("libcurl has no memory for a request."))
      loop.abort(self)
    }
  }

  /// Sets libcurl's timeouts, without the time that has passed.
  func setLimits(_ easy: EasyHandle) {
    let spent = Int((loop.now &- min(takenOffAt, loop.now)) / 1_000_000)
    let connect = plan.limits.connect
    curlew_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, connect == 0 ? 0 : max(1, connect - spent))
    if plan.limits.total > 0 { curlew_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, plan.limits.total - spent)) }
    if let piece = receivePacer.piece { curlew_set_long(easy, CURLOPT_BUFFERSIZE, piece) }
  }
}

extension EventLoop {
  /// Lets requests go ahead that have waited long for the connection of another request.
  ///
  /// - Returns: When to look again; nil if no request waits.
  func hasten(at now: UInt64) -> UInt64? {
    var waiting: [CurlFlight] = []
    for flight in running where flight.mayShareConnection { waiting.append(flight) }
    guard !waiting.isEmpty else { return nil }
    for flight in waiting {
      guard flight.hasNoConnection else {
        flight.joinReadyConnection(at: now)
        continue
      }
      guard let lane = flight.lane, !flight.joinAnsweredConnection() else { continue }
      if origins.goesAhead(flight.plan.origin, lane: lane, at: now, since: flight.boardedAt) { flight.connectAlone() }
    }
    return now &+ ConnectHaste.patience
  }
}
