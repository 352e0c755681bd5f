/// A day of the proleptic Gregorian calendar and its distance from 1970-01-01.
///
/// The arithmetic counts years from March, which makes the leap day the last day of a year, and uses 400-year eras of 146,097
/// days each.
struct CivilDate: Sendable, Hashable {
  static let secondsPerDay: Int64 = 86_400
  static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The year, 0 to 9999.
  let year: Int64
  /// The month, 1 to 12.
  let month: Int64
  /// The day of the month, 1 to 31.
  let day: Int64

  /// Creates a date; nil if the calendar has no such day.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.days(inMonth: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates a date from the number of days since 1970-01-01.
  ///
  /// The number comes from an `HTTPDate`, so it is within the years 0 to 9999.
  init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = Self.floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = Self.floorDivide(shiftedYear, by: 400)
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  func httpDate(hour: Int64, minute: Int64, second: Int64) -> HTTPDate {
    HTTPDate(
      secondsSince1970: daysSince1970 * Self.secondsPerDay + hour * 3600 + minute * 60 + second)
  }

  /// Returns the day of the week, where 0 is Sunday.
  ///
  /// 1970-01-01 was a Thursday.
  static func weekday(ofDay days: Int64) -> Int {
    Int(days + 4 - floorDivide(days + 4, by: 7) * 7)
  }

  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  static func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}
