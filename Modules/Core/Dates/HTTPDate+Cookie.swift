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
