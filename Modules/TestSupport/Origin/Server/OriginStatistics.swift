import CurlewCore

/// What a scripted origin has seen, in numbers.
public struct OriginCounters: Sendable, Hashable {
  /// Connections accepted, refused ones included.
  public var connectionsAccepted = 0
  /// Connections open now.
  public var connectionsOpen = 0
  /// Connections that were closed or reset because a limit or their behaviour said so.
  package var connectionsRefused = 0
  /// The most connections that were ever open at once.
  public var connectionsPeak = 0
  /// TLS handshakes completed.
  public var handshakes = 0
  /// Request heads received.
  public var requests = 0
  /// Replies whose last step is done.
  package var repliesFinished = 0
  /// Bytes the kernel took and gave on closed connections, TLS included.
  public var bytesSent: Int64 = 0
  /// Bytes received on closed connections, TLS included.
  public var bytesReceived: Int64 = 0
}

/// The memory of an origin: counters, requests, and who waits for them to change.
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
    /// At least as many as the remembered requests' bodies have.
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
      // Trimmed in one go when twice the number is there, so that each request costs the same.
      if state.requests.count >= 2 * requestsKept + 16 {
        state.requests.removeFirst(state.requests.count - requestsKept)
      }
      return state.waiters
    }
    wake(waiters)
  }

  /// A request's body is over and so many bytes of it are kept: the oldest requests go when that is too much.
  package func noteKept(_ count: Int) {
    guard count > 0 else { return }
    state.withLock { state in
      state.bodyBytes += count
      guard state.bodyBytes > bodyBytesKept else { return }
      // Down to a half, so that the sum is not taken again for each request.
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
  /// False when the origin stopped or the task was cancelled before.
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

  // The conditions are the caller's code, so they run outside the lock, on the newest counters.
  private func wake(_ waiters: [Int: Waiter]) {
    guard !waiters.isEmpty else { return }
    let counters = self.counters
    for waiter in waiters.values where waiter.condition(counters) { waiter.wake() }
  }
}
