import CurlewCore
public import HTTPTypes

/// Which request fields choose among the responses that are stored for one URL (RFC 9111 §4.1).
///
/// It is stored in place of the responses; they are found by a key that is made of it and of a request. Removing it
/// removes them all.
public struct VariantSelector: Sendable, Hashable {
  /// The names that `Vary` gave, sorted.
  public var names: [HTTPField.Name]
  /// Tells the variants of now from those that were invalidated.
  public var nonce: UInt64

  /// Makes a selector.
  public init(names: [HTTPField.Name], nonce: UInt64) {
    self.names = names
    self.nonce = nonce
  }
}

/// A request field that a stored response depends on, without its value.
public struct SelectingField: Sendable, Hashable {
  /// The name.
  public var name: HTTPField.Name
  /// A checksum of the normalized value; nil where the request had no such field.
  public var fingerprint: UInt64?

  /// Makes a field.
  public init(name: HTTPField.Name, fingerprint: UInt64?) {
    self.name = name
    self.fingerprint = fingerprint
  }

  /// The checksum of a field of a request; nil without one.
  static func fingerprint(of name: HTTPField.Name, in fields: HTTPFields) -> UInt64? {
    let lines = fields[values: name]
    return lines.isEmpty ? nil : normalized(name, lines).utf8Checksum
  }

  /// The value in a form that is equal for values that mean the same.
  ///
  /// Lines are joined and whitespace around commas is dropped. In the fields of content negotiation letters are in any
  /// case, and the order of elements says nothing that their weights do not (RFC 9110 §12.5).
  static func normalized(_ name: HTTPField.Name, _ lines: [String]) -> String {
    let elements = FieldList(lines: lines)
    guard negotiated.contains(name) else { return elements.joined(separator: ",") }
    return elements.map { element in
      element.lowercased().filter { $0 != " " && $0 != "\t" }
    }.sorted().joined(separator: ",")
  }

  private static let negotiated: Set<HTTPField.Name> = Set(
    [.accept, .acceptEncoding, .acceptLanguage, HTTPField.Name("accept-charset")].compactMap { $0 })
}
