import CurlewCore
import HTTPTypes

/// An extension in `Sec-WebSocket-Extensions` (RFC 6455 §9.1).
struct WebSocketExtension: Sendable {
  var name: String
  /// The parameters in order; the value is nil without `=`.
  var parameters: [(name: String, value: String?)] = []

  init(_ name: String) { self.name = name }

  /// The extension as in the field.
  var text: String {
    parameters.reduce(name) { text, parameter in
      text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
    }
  }

  /// Reads all extensions of a field; several lines count as one list.
  ///
  /// - Throws: A sentence that says that the field is malformed.
  static func list(_ fields: HTTPFields) throws(UpgradeRefusal) -> [WebSocketExtension] {
    var extensions: [WebSocketExtension] = []
    for item in FieldList(lines: fields[values: .webSocketExtensions]) {
      extensions.append(try WebSocketExtension(parsing: item))
    }
    return extensions
  }

  private init(parsing item: Substring) throws(UpgradeRefusal) {
    let parts = item.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks }
    guard let first = parts.first, first.isToken else { throw Self.malformed }
    name = first.lowercased()
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmingBlanks }
      guard let name = sides.first, name.isToken else { throw Self.malformed }
      var value: String?
      if sides.count == 2 {
        var text = sides[1]
        // A value in quotes must be a token, too (§9.1).
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        guard text.isToken else { throw Self.malformed }
        value = String(text)
      }
      parameters.append((name.lowercased(), value))
    }
  }

  private static let malformed = UpgradeRefusal("The server's Sec-WebSocket-Extensions is malformed")
}

extension HTTPField.Name {
  static let webSocketKey = known("Sec-WebSocket-Key")
  static let webSocketAccept = known("Sec-WebSocket-Accept")
  static let webSocketVersion = known("Sec-WebSocket-Version")
  static let webSocketProtocol = known("Sec-WebSocket-Protocol")
  static let webSocketExtensions = known("Sec-WebSocket-Extensions")

  /// The names are tokens, so that none is replaced.
  private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .upgrade }
}

extension Substring {
  /// The text without blanks at its ends.
  var trimmingBlanks: Substring {
    var text = self
    while text.first == " " || text.first == "\t" { text = text.dropFirst() }
    while text.last == " " || text.last == "\t" { text = text.dropLast() }
    return text
  }

  /// Whether it is a token (RFC 9110 §5.6.2).
  var isToken: Bool { HTTPField.Name(String(self)) != nil }
}
