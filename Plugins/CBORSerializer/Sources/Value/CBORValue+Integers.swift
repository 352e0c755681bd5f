import FoundationEssentials

extension CBORValue {
  /// The tag of bytes that are an unsigned bignum (RFC 8949 §3.4.3).
  static let bignumTag: UInt64 = 2
  /// The tag of bytes that are a negative bignum.
  static let negativeBignumTag: UInt64 = 3

  /// Creates a whole number; one of more than 64 bits is a bignum (RFC 8949 §3.4.3).
  public init(_ number: some FixedWidthInteger) {
    if let small = UInt64(exactly: number) {
      self = .unsigned(small)
    } else if number < 0, let small = UInt64(exactly: ~number) {
      self = .negative(small)
    } else {
      let magnitude = number < 0 ? ~number : number
      var bytes: [UInt8] = []
      var rest = magnitude
      while rest > 0 {
        bytes.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
      self = .tagged(number < 0 ? Self.negativeBignumTag : Self.bignumTag, .bytes(Data(bytes.reversed())))
    }
  }

  /// Returns the value as a whole number: an integer, or a bignum of at most 128 bits; nil for another value or one that does not fit.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    switch self {
    case .unsigned(let number): return Integer(exactly: number)
    case .negative(let number): return Integer(exactly: ~Int128(number))
    case .tagged(let tag, .bytes(let bytes)) where tag == Self.bignumTag || tag == Self.negativeBignumTag:
      let digits = bytes.drop { $0 == 0 }
      guard digits.count <= 16 else { return nil }
      let magnitude = digits.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
      if tag == Self.bignumTag { return Integer(exactly: magnitude) }
      return Int128(exactly: magnitude).flatMap { Integer(exactly: ~$0) }
    default: return nil
    }
  }
}
