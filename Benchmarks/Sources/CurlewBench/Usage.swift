import Glibc

/// The resources that a process has used so far.
struct Usage {
  /// User and system time, in seconds.
  var processorSeconds: Double
  /// Elapsed real time, in seconds.
  var wallSeconds: Double
  /// The peak resident memory, in megabytes.
  var peakMegabytes: Double

  /// The usage of this process.
  static var current: Usage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Usage(usage)
  }

  init(_ usage: rusage) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    wallSeconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    processorSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    peakMegabytes = Double(usage.ru_maxrss) / 1024
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

/// The difference between two usages.
struct Measurement {
  let processorSeconds: Double
  let wallSeconds: Double
  let peakMegabytes: Double

  init(from start: Usage, to end: Usage = .current) {
    processorSeconds = end.processorSeconds - start.processorSeconds
    wallSeconds = end.wallSeconds - start.wallSeconds
    peakMegabytes = end.peakMegabytes
  }
}

/// Formats a number with this many digits after the decimal point.
func decimal(_ number: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  guard number.isFinite, abs(number) * scale < 9e15 else { return "nan" }
  let scaled = Int64((abs(number) * scale).rounded())
  let sign = number < 0 && scaled > 0 ? "-" : ""
  let fraction = String(scaled % Int64(scale))
  guard digits > 0 else { return "\(sign)\(scaled)" }
  return "\(sign)\(scaled / Int64(scale)).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
}
