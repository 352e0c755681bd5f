public import FoundationEssentials

/// A data item (RFC 8949 §2).
///
/// Two values are equal when they are the same item, whatever the length of their encoding. The entries of a map keep their order, and
/// the order counts; `CBORFormat/deterministic` writes them in one order.
public indirect enum CBORValue: Sendable, Hashable {
  /// A whole number from 0 to 2⁶⁴ - 1.
  case unsigned(UInt64)
  /// The negative number -1 - n, down to -2⁶⁴.
  case negative(UInt64)
  /// Bytes.
  case bytes(Data)
  /// Text.
  case text(String)
  /// Values in order.
  case array([CBORValue])
  /// Values under keys of any type.
  case map([Entry])
  /// A value with a tag that says what it means (§3.4).
  case tagged(UInt64, CBORValue)
  /// True or false.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined.
  case undefined
  /// A simple value other than the ones above: 0 to 19 and 32 to 255 (§3.3).
  case simple(UInt8)
  /// A floating-point number; the shortest of the three widths that keeps the value is written.
  case float(Double)

  /// A key and its value.
  public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: CBORValue
    /// The value.
    public var value: CBORValue

    /// Creates an entry.
    public init(_ key: CBORValue, _ value: CBORValue) {
      self.key = key
      self.value = value
    }
  }

  /// Returns whether both are the same item: 0.0 differs from -0.0, and NaN equals NaN.
  public static func == (left: CBORValue, right: CBORValue) -> Bool {
    switch (left, right) {
    case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    case (.tagged(let leftTag, let left), .tagged(let rightTag, let right)): leftTag == rightTag && left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null), (.undefined, .undefined): true
    case (.simple(let left), .simple(let right)): left == right
    case (.float(let left), .float(let right)): left.isNaN ? right.isNaN : left.bitPattern == right.bitPattern
    default: false
    }
  }

  /// Hashes the item.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let number): hasher.combine(number)
    case .negative(let number): hasher.combine(~number)
    // `Data` itself hashes only its first 80 bytes, so a sender could choose keys that collide.
    case .bytes(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array(let elements): hasher.combine(elements)
    case .map(let entries): hasher.combine(entries)
    case .tagged(let tag, let value):
      hasher.combine(tag)
      hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .null: hasher.combine(22)
    case .undefined: hasher.combine(23)
    case .simple(let number): hasher.combine(number)
    case .float(let number): hasher.combine(number.isNaN ? Double.nan : number)
    }
  }
}

extension CBORValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = CBORValue(value) }
  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an array.
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
  /// Creates a map; entries keep their order.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
    self = .map(elements.map { Entry($0.0, $0.1) })
  }
}
