extension StructuredField {
  /// A decimal of RFC 9651 §3.3.2, held exactly.
  ///
  /// It counts thousandths, so `0.1` stays `0.1` and equality is equality of what is on the wire.
  public struct Decimal: Sendable, Hashable {
    /// The value times 1000.
    public var thousandths: Int64

    /// Creates the decimal that is `thousandths` / 1000.
    public init(thousandths: Int64) {
      self.thousandths = thousandths
    }

    /// Rounds a number to three digits after the point, halves to even.
    ///
    /// Nil for NaN, infinities, and what has more than 12 digits before the point (RFC 9651 §4.1.5).
    public init?(_ value: Double) {
      let scaled = (value * 1000).rounded(.toNearestOrEven)
      guard scaled.isFinite, scaled.magnitude <= Double(Self.largest) else { return nil }
      self.thousandths = Int64(scaled)
    }

    /// The nearest binary floating-point number.
    public var doubleValue: Double { Double(thousandths) / 1000 }

    static let largest: Int64 = 999_999_999_999_999
  }
}
