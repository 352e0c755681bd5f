/// Formats numbers for people.
enum DecimalText {
  /// Returns a number with the given digits after the point, 0 to 6.
  static func of(_ number: Double, digits: Int) -> String {
    guard number.isFinite, abs(number) < 1e12 else { return "–" }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((abs(number) * Double(scale)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % Int64(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return sign + String(scaled / Int64(scale)) + "." + zeros + fraction
  }

  /// Returns a size with a fitting unit: `512 B`, `1.5 MB`.
  static func bytes(_ count: Int64) -> String {
    guard abs(count) >= 1000 else { return "\(count) B" }
    var value = Double(count) / 1000
    for unit in ["kB", "MB", "GB"] {
      if abs(value) < 999.95 { return "\(of(value, digits: 1)) \(unit)" }
      value /= 1000
    }
    return "\(of(value, digits: 1)) TB"
  }

  /// Returns a remaining time: `8 s`, `2:05`, `1:02:05`.
  static func time(_ duration: Duration) -> String {
    let seconds = max(0, Int64(duration.inSeconds.rounded(.up)))
    guard seconds >= 60 else { return "\(seconds) s" }
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    guard seconds >= 3600 else { return "\(seconds / 60):\(two(seconds % 60))" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
