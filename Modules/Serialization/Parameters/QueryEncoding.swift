import CurlewCore
public import FoundationEssentials

/// How parameters are written as the text of a query or a form.
///
/// Every style can write any name and any value, in UTF-8, so that a server reads back the same text. The default is
/// AFNetworking's, byte for byte: names sorted by UTF-16 code units, `a[]=1&a[]=2`, `a[b]=1`, `1` and `0`, a null as
/// its name alone, and `%20`, with all characters escaped except unreserved ones, `/` and `?` (RFC 3986 §2.3, §3.4).
///
/// ```swift
/// var encoding = QueryEncoding()
/// encoding.arrays = .repeated
/// try encoding.string(["a": [1, 2]])  // "a=1&a=2"
/// ```
public struct QueryEncoding: Sendable {
  /// How the name of an array element is written.
  public enum ArrayStyle: Sendable, Hashable, CaseIterable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a[0]=1&a[1]=2`
    case indexed
    /// `a=1&a=2`
    case repeated
    /// `a=1,2`; an array of arrays or objects cannot be written in this style.
    case commaSeparated
  }

  /// How the name of an object member is written.
  public enum KeyStyle: Sendable, Hashable, CaseIterable {
    /// `a[b]=1`
    case brackets
    /// `a.b=1`
    case dots
  }

  /// The order of members.
  public enum MemberOrder: Sendable, Hashable, CaseIterable {
    /// By UTF-16 code units: `B` before `a`.
    case sorted
    /// As they were given.
    case source
  }

  /// How `true` and `false` are written.
  public enum BoolStyle: Sendable, Hashable, CaseIterable {
    /// `1` and `0`.
    case numeric
    /// `true` and `false`.
    case literal
  }

  /// How a null is written.
  public enum NullStyle: Sendable, Hashable, CaseIterable {
    /// `a`
    case nameAlone
    /// `a=`
    case emptyValue
    /// `a=null`
    case literal
    /// The null is omitted.
    case omitted
  }

  /// How a date is written.
  ///
  /// Every style writes a date outside the years 1 to 9999 in seconds.
  public enum DateStyle: Sendable {
    /// `2001-02-03 04:05:06 +0000`
    case description
    /// `2001-02-03T04:05:06Z`
    case iso8601
    /// Seconds since 1970, with a fraction if there is one.
    case secondsSince1970
    /// Whole milliseconds since 1970.
    case millisecondsSince1970
    /// A text from the app.
    case custom(@Sendable (Date) -> String)
  }

  /// How a space is written.
  public enum SpaceStyle: Sendable, Hashable, CaseIterable {
    /// `%20`
    case percent
    /// `+`, as in HTML forms; a plus sign is always `%2B`.
    case plus
  }

  /// The style of array elements' names.
  public var arrays = ArrayStyle.brackets
  /// The style of object members' names.
  public var keys = KeyStyle.brackets
  /// The order of members.
  public var order = MemberOrder.sorted
  /// The style of booleans.
  public var bools = BoolStyle.numeric
  /// The style of nulls.
  public var nulls = NullStyle.nameAlone
  /// The style of dates.
  public var dates = DateStyle.iso8601
  /// The style of spaces.
  public var spaces = SpaceStyle.percent
  /// Writes the whole text in place of the styles above; nil, the default, uses them.
  ///
  /// The result must already be escaped.
  public var custom: (@Sendable (Parameters) throws -> String)?

  /// Creates an encoding with AFNetworking's styles, but for dates, which are written as in JSON.
  public init() {}

  /// An encoding like that of HTML forms.
  ///
  /// It produces `application/x-www-form-urlencoded` as browsers send it.
  public static var html: QueryEncoding {
    var encoding = QueryEncoding()
    encoding.arrays = .repeated
    encoding.order = .source
    encoding.bools = .literal
    encoding.nulls = .emptyValue
    encoding.spaces = .plus
    return encoding
  }

  /// Returns the parameters as text, without `?`.
  ///
  /// - Throws: `ParametersError`, or the error of `custom`.
  public func string(_ parameters: Parameters) throws -> String {
    if let custom { return try custom(parameters) }
    var text: [UInt8] = []
    for pair in try pairs(parameters) {
      if !text.isEmpty { text.append(UInt8(ascii: "&")) }
      escape(pair.name, into: &text)
      // A null with an empty name would disappear without its `=`.
      guard pair.hasValue || pair.name.isEmpty else { continue }
      text.append(UInt8(ascii: "="))
      for (index, value) in pair.values.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        escape(self.text(of: value) ?? "", into: &text)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func escape(_ text: String, into bytes: inout [UInt8]) {
    let hex = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
        bytes.append(byte)
      case UInt8(ascii: " ") where spaces == .plus: bytes.append(UInt8(ascii: "+"))
      default: bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
  }
}

extension QueryEncoding {
  /// A name with its values, neither of them escaped.
  struct Pair {
    var name: String
    /// One value, or those of a comma-separated array; never containers.
    var values: [Parameters]
    /// Whether a `=` follows the name.
    var hasValue = true
  }

  /// Expands parameters into pairs.
  func pairs(_ parameters: Parameters) throws(ParametersError) -> [Pair] {
    guard case .object = parameters else { throw ParametersError(.notNamed) }
    var pairs: [Pair] = []
    try expand(parameters, name: nil, depth: 0, into: &pairs)
    return pairs
  }

  private func expand(
    _ value: Parameters, name: String?, depth: Int, into pairs: inout [Pair]
  ) throws(ParametersError) {
    guard depth < Parameters.maximumDepth else { throw ParametersError(.tooDeep) }
    let name = name ?? ""
    switch value {
    case .object(let members):
      for member in ordered(members) {
        let inner = depth == 0 ? member.name : keys == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
        try expand(member.value, name: inner, depth: depth + 1, into: &pairs)
      }
    case .array(let elements) where arrays == .commaSeparated:
      let kept = nulls == .omitted ? elements.filter { $0 != .null } : elements
      guard kept.allSatisfy(\.isLeaf) else { throw ParametersError(.unrepresentable, at: [name]) }
      for element in kept { try requireFinite(element, name) }
      if !kept.isEmpty { pairs.append(Pair(name: name, values: kept)) }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        let inner =
          switch arrays {
          case .indexed: "\(name)[\(index)]"
          case .repeated, .commaSeparated: name
          case .brackets: "\(name)[]"
          }
        try expand(element, name: inner, depth: depth + 1, into: &pairs)
      }
    case .set(let elements):
      for element in sorted(elements) { try expand(element, name: name, depth: depth + 1, into: &pairs) }
    case .null where nulls == .omitted: break
    case .null: pairs.append(Pair(name: name, values: [.null], hasValue: nulls != .nameAlone))
    default:
      try requireFinite(value, name)
      pairs.append(Pair(name: name, values: [value]))
    }
  }

  /// Refuses infinity and NaN, for which a query has no text that a server would read as such.
  private func requireFinite(_ value: Parameters, _ name: String) throws(ParametersError) {
    if case .double(let number) = value, !number.isFinite { throw ParametersError(.unrepresentable, at: [name]) }
  }

  private func ordered(_ members: [Parameters.Member]) -> [Parameters.Member] {
    guard order == .sorted else { return members }
    return members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
  }

  private func sorted(_ elements: [Parameters]) -> [Parameters] {
    elements.map { (key: text(of: $0) ?? "", value: $0) }
      .sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }.map(\.value)
  }

  /// Returns the text of a scalar; nil for a container.
  func text(of value: Parameters) -> String? {
    switch value {
    case .null: nulls == .literal ? "null" : ""
    case .bool(let value):
      switch bools {
      case .numeric: value ? "1" : "0"
      case .literal: value ? "true" : "false"
      }
    case .integer(let value): String(value)
    case .double(let value): Self.text(of: value)
    case .string(let value): value
    case .date(let value): text(of: value)
    case .data(let value): value.base64EncodedString()
    case .array, .set, .object: nil
    }
  }

  private static func text(of number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private func text(of date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    if case .custom(let text) = dates { return text(date) }
    // This uses the Gregorian calendar throughout: Foundation's formats switch to the Julian one before October 1582.
    guard let text = InternetDate.text(date) else { return Self.text(of: seconds) }
    switch dates {
    case .description: return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) +0000"
    case .iso8601: return text
    case .millisecondsSince1970: return Self.text(of: (seconds * 1000).rounded())
    case .secondsSince1970, .custom: return Self.text(of: seconds)
    }
  }
}

extension Parameters {
  /// Whether the value is a scalar.
  var isLeaf: Bool {
    switch self {
    case .array, .set, .object: false
    default: true
    }
  }
}
