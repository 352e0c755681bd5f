/// A JSON number that keeps every digit it was written with.
///
/// A number read from text is kept as a decimal: up to 19 digits with their point, sign and exponent fit into the value
/// itself, without rounding or allocation; longer numbers keep their text. Only a conversion rounds, and ``text``
/// returns the original spelling byte for byte (`1.0`, `1E+05` and `-0` stay unchanged).
///
/// Two numbers are equal when they have the same decimal value: `1`, `1.0` and `10e-1` are equal, and so are `0` and
/// `-0`. `0.1` and `0.1000000000000000055` differ, although both round to the same `Double`. Exponents are compared up
/// to ±10¹⁷. Compare ``text`` to distinguish spellings.
public struct JSONNumber: Sendable {
  enum Storage: Sendable {
    case decimal(significand: UInt64, layout: NumberLayout)
    /// A number that is too long for the fixed form, in the grammar of RFC 8259 §6.
    case text(String)
  }

  let storage: Storage

  init(significand: UInt64, layout: NumberLayout) {
    storage = .decimal(significand: significand, layout: layout)
  }

  init(checkedText: String) {
    storage = .text(checkedText)
  }

  /// Creates a number from any integer, exactly.
  public init(_ value: some BinaryInteger) {
    if let magnitude = UInt64(exactly: value.magnitude) {
      self.init(significand: magnitude, layout: NumberLayout(isNegative: value < 0))
    } else {
      self.init(checkedText: String(value))
    }
  }

  /// Creates a number from a `Double`, in its shortest exact spelling.
  ///
  /// The text reads back as the same `Double`. Whole values have no point (`2.0` becomes `2`), as with `JSONEncoder`.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot represent.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  /// Creates a number from a `Float`, in its shortest exact spelling.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot represent.
  public init?(_ value: Float) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  private init?(shortest text: String) {
    self.init(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Creates a number from its text, which is kept.
  ///
  /// - Returns: nil when `text` violates the grammar of RFC 8259 §6, as `01`, `.5`, `1.` and `+1` do.
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

  /// The number as it was written.
  public var text: String {
    switch storage {
    case .text(let text): text
    case .decimal(let significand, let layout):
      String(unsafeUninitializedCapacity: NumberLayout.longestText) { buffer in
        var count = 0
        layout.spell(significand) { byte in
          guard count < buffer.count else { return }
          buffer[count] = byte
          count += 1
        }
        return count
      }
    }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
  /// Creates a number from an integer literal.
  public init(integerLiteral value: Int) { self.init(value) }
}
