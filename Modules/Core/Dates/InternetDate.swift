public import FoundationEssentials

/// Reads and writes dates such as `2026-11-21T09:00:00.5Z` (RFC 3339 §5.6).
///
/// The standard formats use it, and a format of your own can. Foundation's parser is not used, because it accepts February 30,
/// the hour 25, and any text after a date.
public enum InternetDate {
  /// Reads a date and time; nil if the text is not valid.
  ///
  /// Offsets may omit the colon, as in ISO 8601. Second 60 is the next minute. The result is nil for another format and for
  /// days and times that do not exist.
  public static func parse(_ text: String) -> Date? {
    let bytes = text.utf8Span.span
    var index = 0
    guard let year = number(4, bytes, &index), FieldSyntax.skip(UInt8(ascii: "-"), bytes, &index),
      let month = number(2, bytes, &index), FieldSyntax.skip(UInt8(ascii: "-"), bytes, &index),
      let day = number(2, bytes, &index), FieldSyntax.skip(UInt8(ascii: "T"), bytes, &index),
      let date = CivilDate(year: year, month: month, day: day),
      let time = time(bytes, &index), FieldSyntax.skip(UInt8(ascii: ":"), bytes, &index),
      let second = number(2, bytes, &index), second <= 60, let fraction = fraction(bytes, &index),
      let offset = offset(bytes, &index), index == bytes.count
    else { return nil }
    let seconds = date.daysSince1970 * CivilDate.secondsPerDay + time + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// Returns a date as text in UTC; nil unless the year is in 1...9999.
  ///
  /// - Parameter keepsFraction: Whether to write as many digits of a fraction of a second as `parse` needs to return the same date.
  ///   By default the date is rounded down to whole seconds.
  public static func text(_ date: Date, keepsFraction: Bool = false) -> String? {
    let interval = date.timeIntervalSince1970
    let seconds = interval.rounded(.down)
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    let day = CivilDate.floorDivide(Int64(seconds), by: CivilDate.secondsPerDay)
    let time = Int64(seconds) - day * CivilDate.secondsPerDay
    let civil = CivilDate(daysSince1970: day)
    return padded(civil.year, 4) + "-" + padded(civil.month, 2) + "-" + padded(civil.day, 2) + "T"
      + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
      + (keepsFraction && interval > seconds ? fraction(of: interval, after: seconds) : "") + "Z"
  }

  /// Returns a point and the fewest digits that a reader needs to find the same time.
  private static func fraction(of interval: Double, after seconds: Double) -> String {
    var scale: Int64 = 1
    for width in 1...15 {
      scale *= 10
      let digits = ((interval - seconds) * Double(scale)).rounded()
      if digits < Double(scale), seconds + digits / Double(scale) == interval || width == 15 {
        return "." + padded(Int64(digits), width)
      }
    }
    return ""
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func number(_ digits: Int, _ bytes: Span<UInt8>, _ index: inout Int) -> Int64? {
    guard bytes.count - index >= digits else { return nil }
    var place = 0
    guard let found = FieldSyntax.number(bytes.extracting(index..<index + digits), &place), place == digits else {
      return nil
    }
    index += digits
    return found.value
  }

  /// Reads hours and minutes and returns them in seconds.
  private static func time(_ bytes: Span<UInt8>, _ index: inout Int) -> Int64? {
    guard let hour = number(2, bytes, &index), hour < 24, FieldSyntax.skip(UInt8(ascii: ":"), bytes, &index),
      let minute = number(2, bytes, &index), minute < 60
    else { return nil }
    return hour * 3600 + minute * 60
  }

  /// Reads a fraction of a second: 0 if absent, nil for a point without digits.
  private static func fraction(_ bytes: Span<UInt8>, _ index: inout Int) -> Double? {
    guard FieldSyntax.skip(UInt8(ascii: "."), bytes, &index) else { return 0 }
    var (value, scale) = (0.0, 1.0)
    let start = index
    while index < bytes.count, FieldSyntax.isDigit(bytes[index]) {
      // Further digits exceed the precision of `Date`.
      if index - start < 15 {
        value = value * 10 + Double(bytes[index] - 0x30)
        scale *= 10
      }
      index += 1
    }
    return index > start ? value / scale : nil
  }

  /// Reads the offset of local time from UTC and returns it in seconds.
  private static func offset(_ bytes: Span<UInt8>, _ index: inout Int) -> Int64? {
    if FieldSyntax.skip(UInt8(ascii: "Z"), bytes, &index) { return 0 }
    let isBefore = FieldSyntax.skip(UInt8(ascii: "-"), bytes, &index)
    guard isBefore || FieldSyntax.skip(UInt8(ascii: "+"), bytes, &index), let hours = number(2, bytes, &index),
      hours < 24
    else { return nil }
    _ = FieldSyntax.skip(UInt8(ascii: ":"), bytes, &index)
    guard let minutes = number(2, bytes, &index), minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (isBefore ? -1 : 1)
  }
}
