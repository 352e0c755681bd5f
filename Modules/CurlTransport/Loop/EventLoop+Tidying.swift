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
