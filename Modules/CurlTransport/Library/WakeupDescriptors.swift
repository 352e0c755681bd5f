import CLibcurl
import Glibc

/// The two sockets by which libcurl before 8.9 can be woken in `curl_multi_poll`, and which it leaves to child processes.
enum WakeupDescriptors {
  /// Closes them to child processes.
  ///
  /// libcurl does not tell which they are. They are found by what a wake-up does: it leaves a byte in the pair, which
  /// waiting takes out again.
  static func seal(_ multi: MultiHandle) {
    guard curl_multi_wakeup(multi) == CURLM_OK else { return }
    let filled = inheritedSockets().filter { holdsBytes($0) }
    curl_multi_poll(multi, nil, 0, 0, nil)
    for descriptor in filled where !holdsBytes(descriptor) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// The sockets of the Unix family that child processes would get.
  private static func inheritedSockets() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let descriptor = Int32(name), fcntl(descriptor, F_GETFD) == 0 else { continue }
      var family: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      if getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0, family == AF_UNIX {
        found.append(descriptor)
      }
    }
    return found
  }

  /// Whether bytes wait to be read here, or at the other end.
  private static func holdsBytes(_ descriptor: Int32) -> Bool { curlew_waiting_bytes(descriptor) > 0 }
}
