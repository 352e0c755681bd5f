import FoundationEssentials
import Glibc

/// The resources of this process, according to the kernel.
enum ProcessFigures {
  /// The peak memory, in MB.
  static var peakMemory: Double { memory("VmHWM:") }
  /// The current memory, in MB.
  static var currentMemory: Double { memory("VmRSS:") }
  /// The number of open descriptors.
  static var descriptors: Int { entries("/proc/self/fd") }
  /// The number of threads.
  static var threads: Int { entries("/proc/self/task") }

  /// The CPU time of user and system, in seconds.
  static var cpu: Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// Returns how often the threads with this name woke from waiting.
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
  /// The number with one digit after the decimal point.
  var short: String { String((self * 10).rounded() / 10) }
}

extension Duration {
  /// The duration in milliseconds.
  var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
