import COpenSSL
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What a handshake fails for, although the server answered (RFC 6455 §4.1).
struct UpgradeRefusal: Error, Sendable, Hashable {
  let text: String
  init(_ text: String) { self.text = text + "." }
}

/// What a client asks for in its handshake (RFC 6455 §4.1).
struct UpgradeOffer: Sendable, Hashable {
  /// The subprotocols in order of preference; empty for none.
  var subprotocols: [String] = []
  /// The compression to offer; nil for none.
  var compression: WebSocketCompression?

  /// Returns the error for a name that is not a token, or is there twice; nil if all are valid.
  var refusal: UpgradeRefusal? {
    for (place, name) in subprotocols.enumerated() {
      guard name[...].isToken else { return UpgradeRefusal("The subprotocol \(name.debugDescription) is not a token") }
      guard !subprotocols[..<place].contains(name) else {
        return UpgradeRefusal("The subprotocol \(name) is there twice")
      }
    }
    return nil
  }

  /// Returns a new key: 16 bytes that nobody can predict, in base64.
  static func key() -> String {
    var generator = SystemRandomNumberGenerator()
    let halves = [generator.next() as UInt64, generator.next()]
    return halves.withUnsafeBytes { Data($0) }.base64EncodedString()
  }

  /// Returns what the server must answer to a key (RFC 6455 §4.2.2).
  static func accept(_ key: String) -> String {
    let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(input, input.count, &digest)
    return Data(digest).base64EncodedString()
  }

  /// Sets the fields of the handshake in a request.
  func apply(to fields: inout HTTPFields, key: String) {
    fields[.upgrade] = "websocket"
    fields[.connection] = "Upgrade"
    fields[.webSocketKey] = key
    fields[.webSocketVersion] = "13"
    fields[.webSocketProtocol] = subprotocols.isEmpty ? nil : subprotocols.joined(separator: ", ")
    fields[.webSocketExtensions] = compression.map { DeflateParameters.offer($0).text }
  }

  /// Checks the server's answer 101.
  ///
  /// - Throws: A sentence that says which rule it breaks.
  func check(_ fields: HTTPFields, key: String) throws(UpgradeRefusal) -> UpgradeAgreement {
    guard Self.names(fields, .upgrade).map({ $0.lowercased() }) == ["websocket"] else {
      throw UpgradeRefusal("The server's Upgrade is not websocket")
    }
    guard Self.names(fields, .connection).contains(where: { $0.lowercased() == "upgrade" }) else {
      throw UpgradeRefusal("The server's Connection does not name Upgrade")
    }
    guard fields[values: .webSocketAccept] == [Self.accept(key)] else {
      throw UpgradeRefusal(
        "The server's Sec-WebSocket-Accept does not fit the key, so it may not have understood the handshake")
    }
    var agreement = UpgradeAgreement()
    let chosen = fields[values: .webSocketProtocol]
    if let name = chosen.first {
      guard chosen.count == 1, subprotocols.contains(name) else {
        throw UpgradeRefusal("The server chose a subprotocol that was not offered")
      }
      agreement.subprotocol = name
    }
    for answer in try WebSocketExtension.list(fields) {
      guard answer.name == DeflateParameters.name, let compression else {
        throw UpgradeRefusal("The server chose the extension \(answer.name), which was not offered")
      }
      guard agreement.compression == nil else { throw UpgradeRefusal("The server chose permessage-deflate twice") }
      agreement.compression = try DeflateParameters(answer: answer, to: compression)
    }
    return agreement
  }

  /// Returns the elements of a list field.
  private static func names(_ fields: HTTPFields, _ name: HTTPField.Name) -> [Substring] {
    FieldList(lines: fields[values: name]).map { $0.trimmingBlanks }
  }
}

/// What both sides agreed on in the handshake.
struct UpgradeAgreement: Sendable, Hashable {
  /// The subprotocol; nil for none.
  var subprotocol: String?
  /// The parameters of compression; nil without it.
  var compression: DeflateParameters?
}
