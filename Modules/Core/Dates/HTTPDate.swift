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
