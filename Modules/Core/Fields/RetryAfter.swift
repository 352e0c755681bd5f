/// When a server wants to be asked again: `120` or a date (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable, CustomStringConvertible {
  /// After so many seconds.
  case seconds(Int64)
  /// Not before this moment.
  case date(HTTPDate)

  /// Reads a field value; nil for anything else than seconds or a date.
  ///
  /// More than 2^31 seconds count as 2^31. `now` decides the century of an RFC 850 date.
  public init?(_ text: String, now: HTTPDate) {
    if let seconds = DeltaSeconds.parse(text) {
      self = .seconds(seconds)
    } else if let date = HTTPDate(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the seconds to wait from `now` on; 0 when the moment has passed.
  public func delay(from now: HTTPDate) -> Int64 {
    switch self {
    case .seconds(let seconds): max(seconds, 0)
    case .date(let date): max(date.secondsSince1970 - now.secondsSince1970, 0)
    }
  }

  /// The field value.
  public var description: String {
    switch self {
    case .seconds(let seconds): String(max(seconds, 0))
    case .date(let date): date.description
    }
  }
}

/// Spans of time in cache and retry fields (RFC 9111 §1.2.2).
enum DeltaSeconds {
  /// What stands for every larger number: about 68 years.
  static let largest: Int64 = 1 << 31

  /// Reads a number of seconds.
  ///
  /// Nil when anything else is in it, a sign or a fraction too.
  static func parse(_ text: String) -> Int64? {
    FieldSyntax.number(text).map { min($0.value, largest) }
  }
}
