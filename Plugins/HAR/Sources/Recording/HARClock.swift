import FoundationEssentials

/// Turns the instants of events into dates, by the date of one instant.
struct HARClock: Sendable {
  private let instant: ContinuousClock.Instant
  private let microseconds: Int64

  init() {
    instant = .now
    microseconds = Int64(Date().timeIntervalSince1970 * 1_000_000)
  }

  /// Writes the date of an instant as ISO 8601 in UTC, with microseconds.
  func write(_ moment: ContinuousClock.Instant, to text: inout HARText) {
    let (seconds, attoseconds) = instant.duration(to: moment).components
    let whole = max(0, microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    let (day, rest) = (Int(whole / 86_400_000_000), Int(whole % 86_400_000_000))
    let (year, month, dayOfMonth) = Self.civil(day)
    text.raw("\"")
    text.digits(year, count: 4)
    text.raw("-")
    text.digits(month, count: 2)
    text.raw("-")
    text.digits(dayOfMonth, count: 2)
    text.raw("T")
    text.digits(rest / 3_600_000_000, count: 2)
    text.raw(":")
    text.digits(rest / 60_000_000 % 60, count: 2)
    text.raw(":")
    text.digits(rest / 1_000_000 % 60, count: 2)
    text.raw(".")
    text.digits(rest % 1_000_000, count: 6)
    text.raw("Z\"")
  }

  /// Returns the Gregorian date of a day after 1 January 1970 (Howard Hinnant, "chrono-compatible low-level date algorithms").
  static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
