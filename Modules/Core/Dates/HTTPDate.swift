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

extension HTTPDate {
  /// Reads a date in one of the three formats of RFC 9110 §5.6.7.
  ///
  /// These are IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850 (`Sunday, 06-Nov-94 08:49:37 GMT`) and asctime (`Sun Nov
  /// 6 08:49:37 1994`). Letters may be in any case, the day of the week may be wrong, and second 60 is the next minute. A
  /// two-digit year of RFC 850 is the latest year that ends in these digits and is at most 50 years after `now`. The result is
  /// nil for any other text.
  public init?(_ text: String, now: HTTPDate) {
    var reader = Reader()
    guard let value = reader.date(text.utf8Span.span, now: now) else { return nil }
    self = value
  }

  private struct Reader {
    private var index = 0

    mutating func date(_ bytes: Span<UInt8>, now: HTTPDate) -> HTTPDate? {
      guard let length = weekdayLength(bytes) else { return nil }
      index = length
      if length == 3, literal(" ", bytes) { return asctime(bytes) }
      guard literal(", ", bytes) else { return nil }
      guard let day = digits(2, bytes) else { return nil }
      if literal(" ", bytes) {
        guard let month = month(bytes), literal(" ", bytes), let year = digits(4, bytes),
          let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        return rest(of: date, bytes)
      }
      guard literal("-", bytes), let month = month(bytes), literal("-", bytes),
        let shortYear = digits(2, bytes)
      else { return nil }
      return century(of: shortYear, month: month, day: day, bytes, now: now)
    }

    private mutating func rest(of date: CivilDate, _ bytes: Span<UInt8>) -> HTTPDate? {
      guard literal(" ", bytes), let time = time(bytes), literal(" gmt", bytes), index == bytes.count
      else { return nil }
      return date.httpDate(hour: time.hour, minute: time.minute, second: time.second)
    }

    private mutating func asctime(_ bytes: Span<UInt8>) -> HTTPDate? {
      guard let month = month(bytes), literal(" ", bytes),
        let day = literal(" ", bytes) ? digits(1, bytes) : digits(2, bytes), literal(" ", bytes),
        let time = time(bytes), literal(" ", bytes), let year = digits(4, bytes), index == bytes.count,
        let date = CivilDate(year: year, month: month, day: day)
      else { return nil }
      return date.httpDate(hour: time.hour, minute: time.minute, second: time.second)
    }

    private mutating func century(
      of shortYear: Int64, month: Int64, day: Int64, _ bytes: Span<UInt8>, now: HTTPDate
    ) -> HTTPDate? {
      let today = CivilDate(
        daysSince1970: CivilDate.floorDivide(now.secondsSince1970, by: CivilDate.secondsPerDay))
      let start = index
      var year = (today.year / 100 + 1) * 100 + shortYear
      // Three centuries are enough to find a date at most 50 years after now.
      for _ in 0..<3 {
        index = start
        if let date = CivilDate(year: year, month: month, day: day), let value = rest(of: date, bytes),
          isWithinFiftyYears(value, date, of: today, now)
        {
          return value
        }
        year -= 100
      }
      return nil
    }

    private func isWithinFiftyYears(
      _ value: HTTPDate, _ date: CivilDate, of today: CivilDate, _ now: HTTPDate
    ) -> Bool {
      guard date.year == today.year + 50 else { return date.year < today.year + 50 }
      // In the fiftieth year, the same date and time still counts.
      let secondOfDay = { (date: HTTPDate) in
        date.secondsSince1970
          - CivilDate.floorDivide(date.secondsSince1970, by: CivilDate.secondsPerDay)
          * CivilDate.secondsPerDay
      }
      return (date.month, date.day, secondOfDay(value)) <= (today.month, today.day, secondOfDay(now))
    }

    private func weekdayLength(_ bytes: Span<UInt8>) -> Int? {
      var length = 0
      while length < bytes.count, FieldSyntax.isLetter(bytes[length]) { length += 1 }
      for name in CivilDate.weekdays {
        guard length == 3 || length == name.utf8.count else { continue }
        let matches = zip(0..<length, name.utf8).allSatisfy { bytes[$0] | 0x20 == $1 | 0x20 }
        if matches { return length }
      }
      return nil
    }

    private mutating func time(_ bytes: Span<UInt8>) -> (hour: Int64, minute: Int64, second: Int64)? {
      guard let hour = digits(2, bytes), literal(":", bytes), let minute = digits(2, bytes),
        literal(":", bytes), let second = digits(2, bytes), hour < 24, minute < 60, second <= 60
      else { return nil }
      return (hour, minute, second)
    }

    private mutating func month(_ bytes: Span<UInt8>) -> Int64? {
      guard bytes.count - index >= 3,
        let month = CivilDate.month(bytes[index], bytes[index + 1], bytes[index + 2])
      else { return nil }
      index += 3
      return month
    }

    private mutating func digits(_ count: Int, _ bytes: Span<UInt8>) -> Int64? {
      guard bytes.count - index >= count else { return nil }
      var value: Int64 = 0
      for _ in 0..<count {
        guard FieldSyntax.isDigit(bytes[index]) else { return nil }
        value = value * 10 + Int64(bytes[index] &- 0x30)
        index += 1
      }
      return value
    }

    /// Skips a text, given in lower case, and ignores the case of letters.
    private mutating func literal(_ text: String, _ bytes: Span<UInt8>) -> Bool {
      let count = text.utf8.count
      guard bytes.count - index >= count else { return false }
      var position = index
      for expected in text.utf8 {
        guard FieldSyntax.lowercased(bytes[position]) == expected else { return false }
        position += 1
      }
      index += count
      return true
    }
  }
}

extension CivilDate {
  /// Returns the month whose name starts with three letters, in any case.
  ///
  /// Nil if there is no such month.
  static func month(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int64? {
    guard FieldSyntax.isLetter(first), FieldSyntax.isLetter(second), FieldSyntax.isLetter(third)
    else { return nil }
    let key = UInt32(first | 0x20) << 16 | UInt32(second | 0x20) << 8 | UInt32(third | 0x20)
    return switch key {
    case 0x6A616E: 1
    case 0x666562: 2
    case 0x6D6172: 3
    case 0x617072: 4
    case 0x6D6179: 5
    case 0x6A756E: 6
    case 0x6A756C: 7
    case 0x617567: 8
    case 0x736570: 9
    case 0x6F6374: 10
    case 0x6E6F76: 11
    case 0x646563: 12
    default: nil
    }
  }
}
