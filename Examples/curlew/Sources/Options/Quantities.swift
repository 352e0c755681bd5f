/// A number of bytes: `500`, `64k`, `10M`, `1G`, in powers of 1024.
struct ByteCount: ExplainedArgument, Sendable, Hashable {
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

  static func problem(of argument: String) -> String {
    "Write a whole number above 0, with k, M, G or T behind it for powers of 1024, such as 500 or 64k."
  }
}

/// A duration in seconds, such as `10` or `0.3`.
struct Seconds: ExplainedArgument, Sendable, Hashable {
  let duration: Duration

  init?(argument: String) {
    guard let seconds = Double(argument), seconds > 0, seconds < 1e9 else { return nil }
    duration = .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  static func problem(of argument: String) -> String {
    "Write seconds above 0 and below 1000000000, such as 10 or 0.3."
  }
}
