import CurlewCore
public import HTTPTypes

/// The request fields that select among the responses of a URL (RFC 9111 §4.1).
///
/// It is stored in place of the responses; their keys are derived from it and from a request. Removing it removes all
/// of them.
public struct VariantSelector: Sendable, Hashable {
  /// The names in `Vary`, sorted.
  public var names: [HTTPField.Name]
  /// Distinguishes current variants from invalidated ones.
  public var nonce: UInt64

  /// Creates a selector.
  public init(names: [HTTPField.Name], nonce: UInt64) {
    self.names = names
    self.nonce = nonce
  }
}

/// A request field that a stored response depends on, without its value.
public struct SelectingField: Sendable, Hashable {
  /// The name.
  public var name: HTTPField.Name
  /// A checksum of the normalized value; nil if the request had no such field.
  ///
  /// It is keyed with the store's `CacheSecret` unless the field is known to be harmless.
  public var fingerprint: UInt64?

  /// Creates a field.
  public init(name: HTTPField.Name, fingerprint: UInt64?) {
    self.name = name
    self.fingerprint = fingerprint
  }

  /// Returns the checksum of a request's field; nil if it has none.
  static func fingerprint(of name: HTTPField.Name, in fields: HTTPFields, _ secret: CacheSecret) -> UInt64? {
    let lines = fields[values: name]
    guard !lines.isEmpty else { return nil }
    let value = normalized(name, lines)
    return Redirect.standardHarmlessFields.contains(name) ? value.utf8Checksum : secret.fingerprint(of: value)
  }

  /// Normalizes a value, so that equivalent values become equal.
  ///
  /// Lines are joined, and white space around commas is removed. In fields of content negotiation, case is ignored, and
  /// so is the order of elements, because only their weights count (RFC 9110 §12.5).
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
