import CurlewCore
import Foundation

/// What the system says of this process's monitors.
enum ProcessLook {
  /// The threads with this name, by their numbers.
  static func threads(_ name: String) -> [String] {
    names("/proc/self/task").filter { text("/proc/self/task/\($0)/comm") == name + "\n" }
  }

  /// How often a thread has begun to wait.
  static func waits(ofThread thread: String) -> Int {
    let lines = text("/proc/self/task/\(thread)/status").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? -1
  }

  /// How many netlink sockets are open.
  static var netlinkSockets: Int {
    let sockets = Set(
      text("/proc/self/net/netlink").split(separator: "\n").dropFirst().compactMap {
        $0.split(separator: " ").last.map(String.init)
      })
    return names("/proc/self/fd").count { file in
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + file) else {
        return false
      }
      return target.hasPrefix("socket:[") && sockets.contains(String(target.dropFirst(8).dropLast()))
    }
  }

  /// Returns once a rule holds; false where it does not within five minutes.
  static func settles(_ isMet: () -> Bool) async -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    while !isMet() {
      guard ContinuousClock.now < end else { return false }
      // Sleeps because threads end when the system lets them.
      try? await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  private static func names(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
