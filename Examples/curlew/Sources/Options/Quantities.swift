import ArgumentParser

/// A number of bytes: `500`, `64k`, `10M`, `1G`, in powers of 1024.
struct ByteCount: ExpressibleByArgument, Sendable, Hashable {
  let bytes: Int64

  init?(argument: String) {
    let factors: [Character: Int64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40]
    guard let last = argument.lowercased().last else { return nil }
    let factor = factors[last]
    guard let number = Int64(factor == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}

/// A duration in seconds, such as `10` or `0.3`.
struct Seconds: ExpressibleByArgument, Sendable, Hashable {
  let duration: Duration

  init?(argument: String) {
    guard let seconds = Double(argument), seconds > 0, seconds < 1e9 else { return nil }
    duration = .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }
}
