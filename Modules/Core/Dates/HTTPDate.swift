public import FoundationEssentials

/// A date as HTTP fields carry it: GMT, in whole seconds, in the years 0 to 9999.
///
///     HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.secondsSince1970  // 784111777
///
/// The description is the field value. It never depends on a locale or time zone.
public struct HTTPDate: Sendable, Hashable, Comparable {
  /// The earliest date with a four-digit year: 0000-01-01T00:00:00Z.
  public static let earliest = HTTPDate(secondsSince1970: .min)
  /// The latest date with a four-digit year: 9999-12-31T23:59:59Z.
  public static let latest = HTTPDate(secondsSince1970: .max)

  private static let bounds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  /// The seconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let secondsSince1970: Int64

  /// Creates a date, limited to the range from `earliest` to `latest`.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.bounds.lowerBound), Self.bounds.upperBound)
  }

  /// Creates a date, rounding fractions of a second down.
  ///
  /// A date outside `earliest...latest` becomes the nearer of the two; a date that is not a number becomes 1970-01-01.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    let limits = Double(Self.bounds.lowerBound)...Double(Self.bounds.upperBound)
    guard !seconds.isNaN else {
      self.init(secondsSince1970: 0)
      return
    }
    self.init(secondsSince1970: Int64(min(max(seconds, limits.lowerBound), limits.upperBound)))
  }

  /// The same date for Foundation.
  public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

  /// Returns whether the left date is earlier.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }
}

extension HTTPDate: CustomStringConvertible {
  /// The date as `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7).
  public var description: String {
    let days = Int64(CivilDate.floorDivide(secondsSince1970, by: CivilDate.secondsPerDay))
    let second = secondsSince1970 - days * CivilDate.secondsPerDay
    let civil = CivilDate(daysSince1970: days)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(29)
    bytes += CivilDate.weekdays[CivilDate.weekday(ofDay: days)].utf8.prefix(3)
    bytes += ", ".utf8
    Self.append(civil.day, digits: 2, to: &bytes)
    bytes.append(0x20)
    bytes += CivilDate.months[Int(civil.month) - 1].utf8
    bytes.append(0x20)
    Self.append(civil.year, digits: 4, to: &bytes)
    bytes.append(0x20)
    Self.append(second / 3600, digits: 2, to: &bytes)
    bytes.append(0x3A)
    Self.append(second / 60 % 60, digits: 2, to: &bytes)
    bytes.append(0x3A)
    Self.append(second % 60, digits: 2, to: &bytes)
    bytes += " GMT".utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ value: Int64, digits: Int, to bytes: inout [UInt8]) {
    var divisor: Int64 = digits == 4 ? 1000 : 10
    while divisor > 0 {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }
}

extension HTTPDate {
  /// Reads a cookie's `Expires` date with the algorithm of RFC 6265 §5.1.1.
  ///
  /// The algorithm uses the first time, day, month and year between delimiters, in any order, and ignores the rest, including
  /// time zones. Two-digit years below 70 are in the 21st century, others in the 20th. The result is nil if the algorithm
  /// fails.
  public init?(cookieDate text: String) {
    var fields = CookieDateFields()
    let bytes = text.utf8Span.span
    var index = 0
    while index < bytes.count {
      while index < bytes.count, Self.isCookieDelimiter(bytes[index]) { index += 1 }
      let start = index
      while index < bytes.count, !Self.isCookieDelimiter(bytes[index]) { index += 1 }
      if index > start { fields.take(bytes.extracting(start..<index)) }
    }
    guard let date = fields.date else { return nil }
    self = date
  }

  private static func isCookieDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }
}

/// The parts of a cookie date that were found so far.
private struct CookieDateFields {
  private var time: (hour: Int64, minute: Int64, second: Int64)?
  private var day: Int64?
  private var month: Int64?
  private var year: Int64?

  mutating func take(_ token: Span<UInt8>) {
    if time == nil, let found = Self.time(token) {
      time = found
    } else if day == nil, let found = Self.number(token, digits: 1...2) {
      day = found
    } else if month == nil, token.count >= 3, let found = CivilDate.month(token[0], token[1], token[2]) {
      month = found
    } else if year == nil, let found = Self.number(token, digits: 2...4) {
      year = found
    }
  }

  var date: HTTPDate? {
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 }
    if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    return date.httpDate(hour: time.hour, minute: time.minute, second: time.second)
  }

  private static func time(_ token: Span<UInt8>) -> (hour: Int64, minute: Int64, second: Int64)? {
    var index = 0
    guard let hour = leadingNumber(token, &index, digits: 1...2), FieldSyntax.skip(0x3A, token, &index),
      let minute = leadingNumber(token, &index, digits: 1...2), FieldSyntax.skip(0x3A, token, &index),
      let second = leadingNumber(token, &index, digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func number(_ token: Span<UInt8>, digits: ClosedRange<Int>) -> Int64? {
    var index = 0
    return leadingNumber(token, &index, digits: digits)
  }

  /// Returns a number with the given count of digits, not followed by a digit.
  ///
  /// Any other character may follow.
  private static func leadingNumber(
    _ token: Span<UInt8>, _ index: inout Int, digits: ClosedRange<Int>
  ) -> Int64? {
    let start = index
    guard let number = FieldSyntax.number(token, &index), digits.contains(index - start) else { return nil }
    return number.value
  }
}
