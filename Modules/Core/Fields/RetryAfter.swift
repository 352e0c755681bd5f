/// When to repeat a request: after seconds or at a date (RFC 9110 §10.2.3).
package enum RetryAfter: Sendable, Hashable, CustomStringConvertible {
  /// After this many seconds.
  case seconds(Int64)
  /// Not before this date.
  case date(HTTPDate)

  /// Reads a field value; nil if it is neither seconds nor a date.
  ///
  /// More than 2^31 seconds become 2^31. `now` determines the century of an RFC 850 date.
  package init?(_ text: String, now: HTTPDate) {
    if let seconds = DeltaSeconds.parse(text) {
      self = .seconds(seconds)
    } else if let date = HTTPDate(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the seconds to wait from `now`; 0 if the date has passed.
  package func delay(from now: HTTPDate) -> Int64 {
    switch self {
    case .seconds(let seconds): max(seconds, 0)
    case .date(let date): max(date.secondsSince1970 - now.secondsSince1970, 0)
    }
  }

  /// The field value.
  package var description: String {
    switch self {
    case .seconds(let seconds): String(max(seconds, 0))
    case .date(let date): date.description
    }
  }
}

/// Durations in cache and retry fields (RFC 9111 §1.2.2).
enum DeltaSeconds {
  /// The value that replaces larger numbers: about 68 years.
  static let largest: Int64 = 1 << 31

  /// Reads a number of seconds; nil if the text contains anything except digits.
  static func parse(_ text: String) -> Int64? {
    FieldSyntax.number(text).map { min($0.value, largest) }
  }
}
