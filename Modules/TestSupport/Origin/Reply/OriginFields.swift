public import HTTPTypes

/// Header or trailer fields exactly as on the wire, including malformed ones.
///
/// Order and repetition are kept, and nothing is checked: a name with a space, a value with a line break and two
/// Content-Lengths are sent unchanged.
public struct OriginFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A line without its line break.
  public struct Line: Sendable, Hashable {
    /// The text before the colon.
    public var name: String
    /// The text after the colon and one space.
    public var value: String

    /// Creates a line.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The lines in order.
  public var lines: [Line]

  /// Creates fields from lines.
  public init(_ lines: [Line] = []) {
    self.lines = lines
  }

  /// Creates fields in order, with duplicates.
  ///
  /// For example `["Set-Cookie": "a=1", "Set-Cookie": "b=2"]`.
  public init(dictionaryLiteral elements: (String, String)...) {
    lines = elements.map { Line($0.0, $0.1) }
  }

  /// Creates fields from well-formed ones.
  public init(_ fields: HTTPFields) {
    lines = fields.map { Line($0.name.rawName, $0.value) }
  }

  /// The first value of a name, in any case.
  ///
  /// Setting replaces all fields of that name; nil removes them.
  public subscript(name: String) -> String? {
    get { lines.first { $0.name.matches(name) }?.value }
    set {
      lines.removeAll { $0.name.matches(name) }
      if let newValue { lines.append(Line(name, newValue)) }
    }
  }

  /// All values of a name, in any case.
  public subscript(values name: String) -> [String] {
    lines.filter { $0.name.matches(name) }.map(\.value)
  }

  /// Appends a line.
  public mutating func append(_ name: String, _ value: String) {
    lines.append(Line(name, value))
  }

  /// Returns these fields followed by `others`.
  ///
  /// Fields in `others` replace those of the same name.
  public func merging(_ others: OriginFields) -> OriginFields {
    OriginFields(lines.filter { line in !others.lines.contains { $0.name.matches(line.name) } } + others.lines)
  }

  package var wireText: String {
    lines.reduce(into: "") { $0 += "\($1.name): \($1.value)\r\n" }
  }
}

extension String {
  /// Returns whether both are equal, ignoring the case of ASCII letters.
  package func matches(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5a ? self | 0x20 : self }
}
