import CurlewCore

/// The counters of a scripted origin.
public struct OriginCounters: Sendable, Hashable {
  /// The connections that were accepted, including refused ones.
  public var connectionsAccepted = 0
  /// The connections that are open now.
  public var connectionsOpen = 0
  /// The connections that a limit or their behaviour closed or reset.
  package var connectionsRefused = 0
  /// The most connections that were open at once.
  public var connectionsPeak = 0
  /// The TLS handshakes that were completed.
  public var handshakes = 0
  /// The request heads that were received.
  public var requests = 0
  /// The replies whose last step is done.
  package var repliesFinished = 0
  /// The bytes sent on closed connections, including TLS.
  public var bytesSent: Int64 = 0
  /// The bytes received on closed connections, including TLS.
  public var bytesReceived: Int64 = 0
}

/// The records of an origin: counters, requests, and tasks that wait for changes.
package final class OriginStatistics: Sendable {
  private struct Waiter {
    var condition: @Sendable (OriginCounters) -> Bool
    var wake: @Sendable () -> Void
  }

  private struct State {
    var counters = OriginCounters()
    var requests: [OriginRequest] = []
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    /// At least the number of body bytes of the recorded requests.
    var bodyBytes = 0
    var isClosed = false
  }

  private let state = Guarded(State())
  private let requestsKept: Int
  private let bodyBytesKept: Int

  package init(requestsKept: Int, bodyBytesKept: Int = 0) {
    self.requestsKept = max(0, requestsKept)
    self.bodyBytesKept = max(0, bodyBytesKept)
  }

  package var counters: OriginCounters { state.withLock { $0.counters } }
  package var requests: [OriginRequest] { state.withLock { $0.requests.suffix(requestsKept) } }

  package func update(_ change: (inout OriginCounters) -> Void) {
    let waiters = state.withLock { state in
      change(&state.counters)
      return state.waiters
    }
    wake(waiters)
  }

  package func record(_ request: OriginRequest) {
    let waiters = state.withLock { state in
      state.counters.requests += 1
      state.requests.append(request)
      // Trim at twice the limit, so that each request costs the same on average.
      if state.requests.count >= 2 * requestsKept + 16 {
        state.requests.removeFirst(state.requests.count - requestsKept)
      }
      return state.waiters
    }
    wake(waiters)
  }

  /// Records the kept bytes of a request's body, and drops the oldest requests.
  package func noteKept(_ count: Int) {
    guard count > 0 else { return }
    state.withLock { state in
      state.bodyBytes += count
      guard state.bodyBytes > bodyBytesKept else { return }
      // Drop to a half, so that the sum is not computed for each request.
      var kept = state.requests.reduce(0) { $0 + $1.upload.keptCount }
      let oldest = state.requests.prefix { request in
        defer { kept -= request.upload.keptCount }
        return kept > bodyBytesKept / 2
      }
      state.requests.removeFirst(oldest.count)
      state.bodyBytes = kept
    }
  }

  package func forget() {
    state.withLock { state in
      state.requests.removeAll()
      state.bodyBytes = 0
    }
  }

  /// Waits until the counters satisfy a condition.
  ///
  /// - Returns: False if the origin stopped or the task was cancelled first.
  package func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await Awaiting.oneCall { wake in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.waiters[id] = Waiter(condition: condition, wake: wake) }
        return state.isClosed
      }
      if isClosed || condition(self.counters) { wake() }
    }
    let counters = state.withLock { state in
      state.waiters[id] = nil
      return state.counters
    }
    return condition(counters)
  }

  package func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters.values { waiter.wake() }
  }

  // The conditions are the caller's code, so they run outside the lock, with the newest counters.
  private func wake(_ waiters: [Int: Waiter]) {
    guard !waiters.isEmpty else { return }
    let counters = self.counters
    for waiter in waiters.values where waiter.condition(counters) { waiter.wake() }
  }
}
