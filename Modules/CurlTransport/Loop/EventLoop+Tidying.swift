import CLibcurl
import CurlewCore
import Glibc

/// Gives back what idle connections hold, and leaves connections that slept.
///
/// libcurl closes an idle connection only when a later request looks for one. So the loop shuts idle connections down itself, and
/// then lets a request that connects nowhere look for one.
extension EventLoop {
  /// Schedules a look at the idle connections, if there are any connections.
  func scheduleTidying() {
    // How many of them are idle is not counted here: many requests can share one, and others have none yet.
    guard let wait = configuration.idleRule.nextLook(idle: sockets.connections.count) else { return }
    nextTidying = min(nextTidying ?? .max, now &+ UInt64(wait) &* 1_000_000)
  }

  /// Closes the connections that have been idle for long.
  func tidy(at now: UInt64) {
    nextTidying = nil
    var idle: [(descriptor: Int32, connection: SocketTable.Connection)] = []
    var ages: [UInt32] = []
    for (descriptor, connection) in sockets.connections where isIdle(descriptor, connection) {
      idle.append((descriptor, connection))
      ages.append(SocketTable.silence(of: descriptor) ?? .max)
    }
    let expired = configuration.idleRule.expired(ages)
    for index in expired { leave(idle[index].descriptor, idle[index].connection) }
    if !expired.isEmpty { prune() }
    if expired.count > configuration.idleRule.kept { isTrimming = true }
    // Those that were shut down are still there.
    if let wait = configuration.idleRule.nextLook(idle: expired.isEmpty ? idle.count : .max) {
      nextTidying = now &+ UInt64(wait) &* 1_000_000
    }
  }

  private func isIdle(_ descriptor: Int32, _ connection: SocketTable.Connection) -> Bool {
    guard connection.isHTTP2 else {
      let entry = sockets.entries[Int(descriptor)]
      return entry.isResting || entry.isRetired
    }
    return origins.isEmpty(connection.origin, lane: connection.lane, generation: connection.generation)
  }

  /// Makes libcurl close the idle connections that are shut down.
  private func prune() {
    guard pruner == nil, let easy = curl_easy_init() else { return }
    curlew_set_long(easy, CURLOPT_NOSIGNAL, 1)
    curlew_set_string(easy, CURLOPT_URL, "http://localhost/")
    curlew_set_string(easy, CURLOPT_PROXY, "")
    curlew_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, "/nonexistent/curlew")
    curlew_set_open_callback(easy) { _, _, _ in -1 }
    // libcurl prunes at most once a second, and otherwise at the next look.
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return curl_easy_cleanup(easy) }
    pruner = easy
  }

  /// Removes the request that made libcurl look for a connection.
  func pruned() {
    guard let easy = pruner else { return }
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    pruner = nil
    guard isTrimming else { return }
    isTrimming = false
    malloc_trim(0)
  }

  /// Leaves all connections if the machine slept since the last call, and drops the TLS sessions, whose age did not count the sleep.
  func noteSleep() {
    guard sleepWatch.slept(at: now, sinceBoot: configuration.sinceBoot()) else { return }
    leaveAll()
    sessions.removeAll()
  }
}

/// Decides which idle connections are closed, without I/O.
///
/// A connection that was just used is likely to be used again. Many of them, after a burst of requests, only hold memory and
/// descriptors, here and at the server.
package struct IdleRule: Sendable {
  /// The number of idle connections that are kept for `longest`.
  package var kept = 64
  /// The milliseconds after which further idle connections are closed.
  package var brief: UInt32 = 5_000
  /// The milliseconds after which every idle connection is closed; libcurl uses none of them after 118 s.
  package var longest: UInt32 = 118_000

  /// Returns the indices of the connections to close.
  ///
  /// - Parameter idle: How long each idle connection has been silent, in milliseconds.
  func expired(_ idle: [UInt32]) -> [Int] {
    let byAge = idle.indices.sorted { idle[$0] < idle[$1] }
    return byAge.enumerated().compactMap { rank, index in
      idle[index] >= (rank < kept ? longest : brief) ? index : nil
    }
  }

  /// Returns the milliseconds after which to look again; nil if no connection is idle.
  func nextLook(idle count: Int) -> UInt32? {
    count == 0 ? nil : count > kept ? brief : longest
  }
}

/// Notices that the machine slept.
///
/// Meanwhile servers and networks forget connections. The monotonic clock stands still, and so do the ages of connections.
struct SleepWatch {
  /// The shortest sleep that matters, in nanoseconds.
  static let shortest: UInt64 = 5_000_000_000

  private var ahead: UInt64?

  /// Returns whether the machine slept since the last call.
  ///
  /// - Parameters:
  ///   - now: The time of the monotonic clock in nanoseconds.
  ///   - sinceBoot: The same time, with all time asleep.
  mutating func slept(at now: UInt64, sinceBoot: UInt64) -> Bool {
    let difference = sinceBoot &- min(now, sinceBoot)
    defer { ahead = difference }
    return difference >= (ahead ?? difference) &+ Self.shortest
  }

  /// Returns the time since the machine started, with the time asleep, in nanoseconds.
  static func sinceBoot() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
