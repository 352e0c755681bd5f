public import HTTPTypes

/// A link of a `Link` field, such as `<birds?page=2>; rel="next"` (RFC 8288 §3).
///
/// ```swift
/// let next = WebLink.links(in: response.head.headerFields).first { $0.relations.contains("next") }
/// ```
public struct WebLink: Sendable, Hashable {
  /// The target: a reference that is relative to the response's URL.
  public var target: String
  /// What the target is to the response, in lower case, such as `next`; empty if the link does not say so.
  public var relations: [String]
  /// The parameters in their order, `rel` included.
  public var parameters: [FieldParameter]

  /// Creates a link.
  public init(target: String, relations: [String], parameters: [FieldParameter] = []) {
    self.target = target
    self.relations = relations
    self.parameters = parameters
  }

  /// Whether the link is one of another resource than the response, which `anchor` names (RFC 8288 §3.2).
  public var hasOtherContext: Bool { parameters["anchor"].map { !$0.isEmpty } ?? false }

  /// Returns the links of all `Link` fields, in their order.
  ///
  /// Text that is not a link is skipped up to the next comma outside quotes.
  public static func links(in fields: HTTPFields) -> [WebLink] {
    guard let name = HTTPField.Name("Link") else { return [] }
    return fields[values: name].flatMap(links)
  }

  /// Returns the target of a response's first link with a relation, such as `next`; nil if there is none.
  ///
  /// Links of other resources do not count (`hasOtherContext`).
  public static func target(_ relation: String, of head: ResponseHead) -> String? {
    links(in: head.headerFields).first { $0.relations.contains(relation) && !$0.hasOtherContext }?.target
  }

  /// Returns the links of one field value.
  static func links(_ value: String) -> [WebLink] {
    let bytes = value.utf8Span.span
    var index = 0
    var links: [WebLink] = []
    while index < bytes.count {
      FieldSyntax.skipWhitespace(bytes, &index)
      if let link = read(bytes, &index) { links.append(link) }
      skipElement(bytes, &index)
    }
    return links
  }

  /// Reads a link; nil if there is none at this place.
  private static func read(_ bytes: Span<UInt8>, _ index: inout Int) -> WebLink? {
    guard FieldSyntax.skip(UInt8(ascii: "<"), bytes, &index) else { return nil }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") { index += 1 }
    let target = String(copying: bytes, start..<index)
    guard FieldSyntax.skip(UInt8(ascii: ">"), bytes, &index) else { return nil }
    var parameters: [FieldParameter] = []
    FieldSyntax.skipWhitespace(bytes, &index)
    while FieldSyntax.skip(UInt8(ascii: ";"), bytes, &index) {
      FieldSyntax.skipWhitespace(bytes, &index)
      let start = index
      FieldSyntax.skipToken(bytes, &index)
      let name = String(copying: bytes, start..<index).lowercased()
      FieldSyntax.skipWhitespace(bytes, &index)
      let value = FieldSyntax.skip(UInt8(ascii: "="), bytes, &index) ? parameterValue(bytes, &index) : ""
      if !name.isEmpty { parameters.append(FieldParameter(name: name, value: value)) }
      FieldSyntax.skipWhitespace(bytes, &index)
    }
    // The first `rel` counts (RFC 8288 §3.3).
    let relations = parameters["rel"]?.lowercased().split(separator: " ").map(String.init) ?? []
    return WebLink(target: target, relations: relations, parameters: parameters)
  }

  /// Reads the value of a parameter: a quoted string, or what stands before the next delimiter.
  private static func parameterValue(_ bytes: Span<UInt8>, _ index: inout Int) -> String {
    FieldSyntax.skipWhitespace(bytes, &index)
    guard index < bytes.count, bytes[index] != UInt8(ascii: "\"") else {
      return index < bytes.count ? FieldSyntax.quotedString(bytes, &index).value : ""
    }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: ";"), bytes[index] != UInt8(ascii: ","),
      !FieldSyntax.isWhitespace(bytes[index])
    {
      index += 1
    }
    return String(copying: bytes, start..<index)
  }

  /// Skips the rest of an element and its comma.
  private static func skipElement(_ bytes: Span<UInt8>, _ index: inout Int) {
    while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
      if bytes[index] == UInt8(ascii: "\"") {
        FieldSyntax.skipQuotedString(bytes, &index)
      } else {
        index += 1
      }
    }
    index += 1
  }
}
