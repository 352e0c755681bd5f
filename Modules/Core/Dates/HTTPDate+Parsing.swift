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
