public import FoundationEssentials

/// What a request is given: a tree of values that each serializer writes its own way.
///
/// Written as literals, or made of any `Encodable` by `init(encoding:)`. Members keep their order; a serializer may sort
/// them. Strings are any Swift strings, so that nothing in them can be malformed.
///
/// ```swift
/// let parameters: Parameters = ["page": 2, "tags": ["new", "blue"], "filter": ["open": true]]
/// ```
public enum Parameters: Sendable, Hashable {
  /// Nothing; how it is written is a matter of style.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int128)
  /// A floating point number; infinities and NaN can be put in a query only.
  case double(Double)
  /// Text.
  case string(String)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in order.
  case array([Parameters])
  /// Values without an order; they are sorted where they are written.
  case set([Parameters])
  /// Named values, in the order they were given; a name may occur twice.
  case object([Member])

  /// A named value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Parameters

    /// Makes a member.
    public init(_ name: String, _ value: Parameters) {
      self.name = name
      self.value = value
    }
  }

  /// How deep parameters may be nested; deeper ones are refused by whatever writes them.
  public static let maximumDepth = 512
}

extension Parameters: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// `nil` is `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  /// A floating point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: Parameters...) { self = .array(elements) }
  /// An object; members keep their order.
  public init(dictionaryLiteral elements: (String, Parameters)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

/// Parameters that a serializer cannot write.
public struct ParametersError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong. More kinds may come.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// They are nested deeper than `Parameters.maximumDepth`.
    public static let tooDeep = Kind(rawValue: "too-deep")
    /// A query or a form is made of named values, and these have no names.
    public static let notNamed = Kind(rawValue: "not-named")
    /// The format has no way to write this value.
    public static let unrepresentable = Kind(rawValue: "unrepresentable")
  }

  /// What is wrong.
  public let kind: Kind
  /// Where, as names and positions from the outside in.
  public let path: [String]

  /// Makes an error.
  public init(_ kind: Kind, at path: [String] = []) {
    self.kind = kind
    self.path = path
  }

  /// One sentence; a deep path is cut.
  public var description: String {
    let place = path.isEmpty ? "" : " at \(path.prefix(8).joined(separator: "."))"
    switch kind {
    case .tooDeep: return "the parameters are nested deeper than \(Parameters.maximumDepth) levels"
    case .notNamed: return "the parameters are not an object, so that they have no names"
    default: return "the format has no way to write the value\(place)"
    }
  }
}
