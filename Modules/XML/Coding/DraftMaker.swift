import CurlewSerialization

/// Creates an XML element from an encoded value.
struct DraftMaker {
  let settings: XMLEncoder

  /// The element name for array elements that have no name of their own.
  private static let itemName = "item"

  func root(_ name: String, _ node: EncodingNode) throws -> XMLElementBuilder {
    let key = AnyCodingKey(name)
    if case .elements(let nodes) = node.content {
      var draft = XMLElementBuilder(try self.name(name, key, isAttribute: false))
      for node in nodes { draft.append(try element(AnyCodingKey(Self.itemName), node, 1)) }
      return draft
    }
    return try element(key, node, 0)
  }

  private func element(_ key: any CodingKey, _ node: EncodingNode, _ depth: Int) throws -> XMLElementBuilder {
    guard depth < XMLEncoder.maximumDepth else {
      throw invalid(node, key, "The value is nested deeper than \(XMLEncoder.maximumDepth) elements.")
    }
    var draft = XMLElementBuilder(try name(key.stringValue, key, isAttribute: false))
    switch node.content {
    case .nothing: break
    case .null:
      let name = XMLName("nil", namespace: XMLElement.schemaInstance, prefix: "xsi")
      draft.attributes.append(XMLAttribute(name, "true"))
    case .text(let text): if !text.isEmpty { draft.append(text: text) }
    case .elements(let nodes):
      for node in nodes { draft.append(try element(AnyCodingKey(Self.itemName), node, depth + 1)) }
    case .members(let members):
      for member in members { try add(member, to: &draft, depth + 1) }
    }
    return draft
  }

  private func add(_ member: EncodingNode.Member, to draft: inout XMLElementBuilder, _ depth: Int) throws {
    let key = member.key.stringValue
    if key.isEmpty || key == "#text" {
      if let text = try text(member) { draft.append(text: text) }
    } else if member.isAttribute || key.utf8.first == UInt8(ascii: "@") {
      let name = key.utf8.first == UInt8(ascii: "@") ? String(key.unicodeScalars.dropFirst()) : key
      guard let text = try text(member) else { return }
      draft.attributes.append(XMLAttribute(try self.name(name, member.key, isAttribute: true), text))
    } else if case .elements(let nodes) = member.node.content {
      for node in nodes { draft.append(try element(member.key, node, depth)) }
    } else {
      draft.append(try element(member.key, member.node, depth))
    }
  }

  /// Returns the text of a member that must be text; nil when the member is nil.
  private func text(_ member: EncodingNode.Member) throws -> String? {
    switch member.node.content {
    case .text(let text): return text
    case .null: return nil
    default:
      throw invalid(
        member.node, member.key, "An attribute or #text can only hold a scalar, such as a string, a number or a date.")
    }
  }

  private func name(_ name: String, _ key: any CodingKey, isAttribute: Bool) throws -> XMLName {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return XMLName(name, namespace: isAttribute ? nil : settings.defaultNamespace)
    }
    let prefix = String(parts[0])
    if prefix == "xml" { return XMLName(String(parts[1]), namespace: XMLName.xmlNamespace, prefix: prefix) }
    guard let uri = settings.namespaces[prefix] else {
      throw EncodingError.invalidValue(
        name, EncodingError.Context(codingPath: [key], debugDescription: "The prefix \(prefix) has no namespace."))
    }
    return XMLName(String(parts[1]), namespace: uri, prefix: prefix)
  }

  private func invalid(_ value: Any, _ key: any CodingKey, _ message: String) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: [key], debugDescription: message))
  }
}
