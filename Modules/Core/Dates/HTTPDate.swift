public import FoundationEssentials

/// A moment as HTTP fields carry it: whole seconds, in the years 0 to 9999, always GMT.
///
///     HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.secondsSince1970  // 784111777
///
/// Its description is the field value. No locale, time zone or formatter takes part.
public struct HTTPDate: Sendable, Hashable, Comparable {
  /// 0000-01-01T00:00:00Z, the earliest moment with four digits for the year.
  public static let earliest = HTTPDate(secondsSince1970: .min)
  /// 9999-12-31T23:59:59Z, the latest moment with four digits for the year.
  public static let latest = HTTPDate(secondsSince1970: .max)

  private static let bounds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let secondsSince1970: Int64

  /// Creates a date; one before `earliest` or after `latest` becomes that.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.bounds.lowerBound), Self.bounds.upperBound)
  }

  /// Creates a date, fractions of a second dropped towards the past.
  ///
  /// One outside `earliest...latest` becomes the nearer of them; a date that is no number becomes
  /// 1970.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    let limits = Double(Self.bounds.lowerBound)...Double(Self.bounds.upperBound)
    guard !seconds.isNaN else {
      self.init(secondsSince1970: 0)
      return
    }
    self.init(secondsSince1970: Int64(min(max(seconds, limits.lowerBound), limits.upperBound)))
  }

  /// The same moment for Foundation.
  public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

  /// Returns whether the left comes before the right.
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
