import CurlewCore
import Dispatch
import Foundation
import FoundationNetworking

/// Keeps sessions open; its last reference closes them.
///
/// The transport and every unfinished request hold one. A body can therefore be read to its end after its transport's last
/// reference is released.
final class PoolKeeper: Sendable {
  let pool: SessionPool

  init(_ pool: SessionPool) { self.pool = pool }

  deinit { pool.close() }
}

/// The transport's two sessions and their requests.
///
/// One session keeps connections. The other closes each connection after its request; it carries requests that libcurl must
/// not repeat when a reused connection dies. Every call that Foundation executes synchronously on its own queue (creating,
/// resuming and cancelling tasks, invalidating sessions) is made on `control`. A caller's thread therefore never waits for
/// Foundation, and no task is created in an invalid session, which would end the process.
final class SessionPool: Sendable {
  /// The session that carries a request.
  enum Use: Hashable, CaseIterable {
    case kept
    case once
  }

  private struct State {
    var line = WaitingLine<URLSessionFlight>()
    var flying: [ObjectIdentifier: URLSessionFlight] = [:]
    var sessions: [Use: (session: URLSession, delegate: SessionDelegate)] = [:]
    var isClosed = false
    var isInvalidated = false
    var waiters: [UnsafeContinuation<Void, Never>] = []

    var isGone: Bool { isInvalidated && sessions.isEmpty }

    mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
      guard isGone else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let configuration: URLSessionTransport.Configuration
  let bodyBuffer: Int
  let watchman = TimeoutMonitor(SystemClock())
  private let state = Guarded(State())
  private let control: OperationQueue

  init(_ configuration: URLSessionTransport.Configuration) {
    self.configuration = configuration
    bodyBuffer = min(max(configuration.bodyBuffer, 65_536), 16 * 1024 * 1024)
    control = SerialQueue("control")
  }

  // MARK: Sending

  /// Accepts a request; returns false if the transport was shut down.
  func submit(_ flight: URLSessionFlight) -> Bool {
    let (isOpen, isNext) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else { return (false, false) }
      guard state.flying.count < max(1, configuration.requestsAtOnce) else {
        state.line.append(flight, priority: flight.plan.priority)
        return (true, false)
      }
      state.flying[ObjectIdentifier(flight)] = flight
      return (true, true)
    }
    if isNext { control.addOperation { self.launch(flight) } }
    return isOpen
  }

  /// Passes a request to Foundation; called on `control`.
  private func launch(_ flight: URLSessionFlight) {
    guard !flight.shared.withLock({ $0.isEnding }) else { return landed(flight) }
    guard let (session, delegate) = session(flight.plan.isRepeatable ? .kept : .once) else {
      flight.finish(NetworkError.shutDown)
      return landed(flight)
    }
    var message = flight.plan.message
    do throws(NetworkError) {
      message.httpBodyStream = try flight.upload?.stream()
    } catch {
      flight.finish(error)
      return landed(flight)
    }
    let task = session.dataTask(with: message)
    delegate.add(flight, for: task)
    flight.task.withLock { $0 = task }
    flight.start()
    task.resume()
  }

  /// Makes Foundation release a request that has ended.
  func abandon(_ flight: URLSessionFlight) {
    let isWaiting = state.withLock { $0.line.remove(flight) }
    guard !isWaiting else { return }
    control.addOperation { flight.task.withLock { $0 }?.cancel() }
  }

  /// Releases the place of a request.
  func landed(_ flight: URLSessionFlight) {
    flight.task.withLock { $0 = nil }
    let next = state.withLock { state -> URLSessionFlight? in
      guard state.flying.removeValue(forKey: ObjectIdentifier(flight)) != nil, let next = state.line.next() else {
        return nil
      }
      state.flying[ObjectIdentifier(next)] = next
      return next
    }
    if let next { control.addOperation { self.launch(next) } }
  }

  // MARK: Sessions

  /// Returns the session for a use, creating it if necessary.
  ///
  /// Nil if the transport was shut down.
  private func session(_ use: Use) -> (URLSession, SessionDelegate)? {
    let (known, isClosed) = state.withLock { ($0.sessions[use], $0.isClosed) }
    guard !isClosed else { return nil }
    if let known { return known }
    let settings = URLSessionConfiguration.ephemeral
    settings.httpCookieStorage = nil
    settings.httpCookieAcceptPolicy = .never
    settings.httpShouldSetCookies = false
    settings.urlCache = nil
    settings.requestCachePolicy = .reloadIgnoringLocalCacheData
    settings.urlCredentialStorage = nil
    // Waiting for one of a few connections would count as waiting for the server.
    settings.httpMaximumConnectionsPerHost = 0
    // Ten years: Foundation drops fractions and cannot distinguish timeouts, so Curlew enforces its own.
    settings.timeoutIntervalForRequest = 315_360_000
    let delegate = SessionDelegate(self, use)
    let session = URLSession(configuration: settings, delegate: delegate, delegateQueue: SerialQueue("delegate"))
    state.withLock { $0.sessions[use] = (session, delegate) }
    return (session, delegate)
  }

  // MARK: Shutting down

  /// Ends everything without waiting.
  func close() {
    let ended = state.withLock { state -> [URLSessionFlight]? in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      return state.line.removeAll() + state.flying.values
    }
    guard let ended else { return }
    for flight in ended { flight.finish(NetworkError.shutDown, discards: true) }
    watchman.close()
    control.addOperation { self.invalidate() }
  }

  /// Ends everything, and waits until Foundation has released the sessions.
  func closed() async {
    close()
    await withUnsafeContinuation { continuation in
      let isGone = state.withLock { state in
        if !state.isGone { state.waiters.append(continuation) }
        return state.isGone
      }
      if isGone { continuation.resume() }
    }
  }

  /// Invalidates the sessions after all tasks were cancelled; called on `control`.
  private func invalidate() {
    let (sessions, waiters) = state.withLock { state in
      state.isInvalidated = true
      return (state.sessions.values.map(\.session), state.takeWaiters())
    }
    for session in sessions { session.finishTasksAndInvalidate() }
    for waiter in waiters { waiter.resume() }
  }

  /// Records that Foundation has released a session.
  func ended(_ use: Use) {
    let waiters = state.withLock { state in
      state.sessions[use] = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// A serial queue that has a thread of its own while it has work.
///
/// By default an operation queue shares one thread per processor with all Swift tasks of the process. While those compute, no
/// callback would run, and Foundation would buffer bytes for them without limit.
// Safe because `OperationQueue` is, and the added property never changes.
final class SerialQueue: OperationQueue, @unchecked Sendable {
  // Retained here because `underlyingQueue` does not retain it.
  private let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: "curlew.urlsession." + name)
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = queue
  }
}

/// Requests that wait for a place, by priority and then by order of arrival.
struct WaitingLine<Waiting: AnyObject> {
  // The next request is the last element.
  private var places: [(priority: Int8, waiting: Waiting)] = []

  var isEmpty: Bool { places.isEmpty }

  mutating func append(_ waiting: Waiting, priority: Int8) {
    let index = places.firstIndex { $0.priority >= priority } ?? places.endIndex
    places.insert((priority, waiting), at: index)
  }

  mutating func next() -> Waiting? { places.popLast()?.waiting }

  /// Removes a request; returns false if it was not waiting.
  mutating func remove(_ waiting: Waiting) -> Bool {
    guard let index = places.firstIndex(where: { $0.waiting === waiting }) else { return false }
    places.remove(at: index)
    return true
  }

  mutating func removeAll() -> [Waiting] {
    defer { places = [] }
    return places.reversed().map(\.waiting)
  }
}
