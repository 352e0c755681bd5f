/// A JSON number that keeps every digit it was written with.
///
/// A number read from text is kept as a decimal: up to 19 digits with their point, sign and exponent fit into the value
/// itself, so that reading costs no rounding and no allocation; longer spellings keep their text. Nothing is rounded
/// until a conversion asks for it, and ``text`` gives back the spelling byte for byte (`1.0`, `1E+05` and `-0` stay
/// what they were).
///
/// Two numbers are equal when they denote the same decimal value, however they are spelled: `1`, `1.0` and `10e-1` are
/// equal, and so are `0` and `-0`. `0.1` and `0.1000000000000000055` differ, although both round to the same `Double`.
/// Exponents are compared up to ±10¹⁷. Compare ``text`` to tell spellings apart.
public struct JSONNumber: Sendable {
  enum Storage: Sendable {
    case decimal(significand: UInt64, layout: NumberLayout)
    /// A spelling too long for the fixed form. It has the grammar of RFC 8259 §6.
    case text(String)
  }

  let storage: Storage

  init(significand: UInt64, layout: NumberLayout) {
    storage = .decimal(significand: significand, layout: layout)
  }

  init(checkedText: String) {
    storage = .text(checkedText)
  }

  /// Makes the number of any integer, exactly.
  public init(_ value: some BinaryInteger) {
    if let magnitude = UInt64(exactly: value.magnitude) {
      self.init(significand: magnitude, layout: NumberLayout(isNegative: value < 0))
    } else {
      self.init(checkedText: String(value))
    }
  }

  /// Makes the number of a `Double` in its shortest spelling that reads back alike.
  ///
  /// Whole values are written without a point (`2.0` becomes `2`) as `JSONEncoder` does.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot express.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  /// Makes the number of a `Float` in its shortest spelling that reads back alike.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot express.
  public init?(_ value: Float) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  private init?(shortest text: String) {
    self.init(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Makes a number of its spelling, which is kept.
  ///
  /// - Returns: nil when `text` does not have the grammar of RFC 8259 §6, as `01`, `.5`, `1.` and `+1`.
  public init?(text: String) {
    var text = text
    let scanned = text.withUTF8 { bytes -> JSONNumber? in
      guard let start = bytes.baseAddress else { return nil }
      var cursor = start
      guard let number = try? NumberScanner.scan(&cursor, end: start + bytes.count, limit: bytes.count),
        cursor == start + bytes.count
      else { return nil }
      return number
    }
    guard let scanned else { return nil }
    self = scanned
  }

  /// The spelling: as it was written when the number was read.
  public var text: String {
    switch storage {
    case .text(let text): text
    case .decimal(let significand, let layout):
      // Safe because `spell` writes ASCII, no more than the buffer holds, and counts it.
      String(unsafeUninitializedCapacity: NumberLayout.longestText) { layout.spell(significand, into: $0) }
    }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
  /// Makes the number of an integer literal.
  public init(integerLiteral value: Int) { self.init(value) }
}
