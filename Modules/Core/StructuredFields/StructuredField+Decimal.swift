extension StructuredField {
  /// An exact decimal number with at most three decimals (RFC 9651 §3.3.2).
  ///
  /// It is stored in thousandths, so `0.1` is exact, and two numbers are equal if and only if they are serialized equally.
  public struct Decimal: Sendable, Hashable {
    /// The value times 1000.
    public var thousandths: Int64

    /// Creates the decimal `thousandths` / 1000.
    public init(thousandths: Int64) {
      self.thousandths = thousandths
    }

    /// Creates a decimal by rounding to three decimals, with halves to even.
    ///
    /// Nil for NaN, infinities, and numbers with more than 12 digits before the point (RFC 9651 §4.1.5).
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
