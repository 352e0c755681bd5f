import CLibcurl
import Glibc

/// The sockets with which libcurl before 8.9 wakes `curl_multi_poll`.
///
/// libcurl leaves them open in child processes.
enum WakeupDescriptors {
  /// Makes the sockets close in child processes.
  ///
  /// libcurl does not reveal them. They are found by the effect of a wake-up, which leaves a byte in the pair until the next
  /// wait.
  static func seal(_ multi: MultiHandle) {
    guard curl_multi_wakeup(multi) == CURLM_OK else { return }
    let filled = inheritedSockets().filter { holdsBytes($0) }
    curl_multi_poll(multi, nil, 0, 0, nil)
    for descriptor in filled where !holdsBytes(descriptor) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// Returns the Unix sockets that child processes would inherit.
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

  /// Returns whether bytes can be read at this end or at the other one.
  private static func holdsBytes(_ descriptor: Int32) -> Bool { curlew_waiting_bytes(descriptor) > 0 }
}
