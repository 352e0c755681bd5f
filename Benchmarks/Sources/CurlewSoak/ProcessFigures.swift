import FoundationEssentials
import Glibc

/// What the system says of this process.
enum ProcessFigures {
  /// The most memory it ever had, MB.
  static var peakMemory: Double { memory("VmHWM:") }
  /// The memory it has now, MB.
  static var currentMemory: Double { memory("VmRSS:") }
  /// Open descriptors.
  static var descriptors: Int { entries("/proc/self/fd") }
  /// Threads.
  static var threads: Int { entries("/proc/self/task") }

  /// Seconds of CPU, user and system.
  static var cpu: Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// How often threads of a name woke from waiting.
  static func wakeUps(ofThreads name: String) -> Int {
    var sum = 0
    for thread in names("/proc/self/task") {
      let status = text("/proc/self/task/\(thread)/status")
      guard status.hasPrefix("Name:\t\(name)\n") else { continue }
      sum += Int(field("voluntary_ctxt_switches:", in: status)) ?? 0
    }
    return sum
  }

  private static func memory(_ name: String) -> Double {
    (Double(field(name, in: text("/proc/self/status"))) ?? 0) / 1024
  }

  private static func field(_ name: String, in status: String) -> String {
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
      return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(String.init) ?? ""
    }
    return ""
  }

  private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
  private static func names(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }
  private static func entries(_ path: String) -> Int { names(path).count }
}

extension Double {
  /// With one digit behind the point.
  var short: String { String((self * 10).rounded() / 10) }
}

extension Duration {
  /// Milliseconds.
  var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
