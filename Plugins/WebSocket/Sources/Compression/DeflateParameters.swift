/// The parameters of `permessage-deflate` on which both sides agreed (RFC 7692 §7.1).
struct DeflateParameters: Sendable, Hashable {
  /// The parameters of one direction.
  struct Direction: Sendable, Hashable {
    /// The size of the window as a power of two, 8 to 15.
    var windowBits = 15
    /// Whether messages may refer to earlier ones.
    var keepsContext = true
  }

  var server = Direction()
  var client = Direction()

  /// The direction in which a side receives.
  func receiving(_ role: WebSocketRole) -> Direction { role == .client ? server : client }
  /// The direction in which a side sends.
  func sending(_ role: WebSocketRole) -> Direction { role == .client ? client : server }

  static let name = "permessage-deflate"

  /// Returns the extension as a client offers it.
  static func offer(_ compression: WebSocketCompression) -> WebSocketExtension {
    var offer = WebSocketExtension(name)
    // Always offered, so that the server may ask for a smaller window (§7.1.2.2).
    let bits = compression.clientWindowBits
    offer.parameters.append((.clientWindow, bits == 15 ? nil : String(bits)))
    if compression.serverWindowBits < 15 {
      offer.parameters.append((.serverWindow, String(compression.serverWindowBits)))
    }
    if !compression.serverKeepsContext { offer.parameters.append((.serverContext, nil)) }
    if !compression.clientKeepsContext { offer.parameters.append((.clientContext, nil)) }
    return offer
  }

  /// Reads the server's answer to an offer (RFC 7692 §7.1).
  ///
  /// - Throws: A sentence that says what is wrong: a parameter is unknown, repeated or has no valid value, or the answer does not accept
  ///   what was offered.
  init(answer: WebSocketExtension, to offer: WebSocketCompression) throws(UpgradeRefusal) {
    var seen: Set<String> = []
    for (name, value) in answer.parameters {
      guard seen.insert(name).inserted else { throw UpgradeRefusal("The server repeats the parameter \(name)") }
      switch name {
      case .serverContext, .clientContext:
        guard value == nil else { throw UpgradeRefusal("The server's parameter \(name) has a value") }
        if name == .serverContext { server.keepsContext = false } else { client.keepsContext = false }
      case .serverWindow, .clientWindow:
        guard let value, let bits = Self.bits(value) else {
          throw UpgradeRefusal("The server's parameter \(name) is not a number from 8 to 15")
        }
        if name == .serverWindow { server.windowBits = bits } else { client.windowBits = bits }
      default:
        throw UpgradeRefusal("The server's permessage-deflate has the unknown parameter \(name)")
      }
    }
    guard server.windowBits <= offer.serverWindowBits else {
      throw UpgradeRefusal("The server's window of \(server.windowBits) bits is larger than was allowed")
    }
    guard !server.keepsContext || offer.serverKeepsContext else {
      throw UpgradeRefusal("The server keeps its context although it was told not to")
    }
    client.windowBits = min(client.windowBits, offer.clientWindowBits)
    if !offer.clientKeepsContext { client.keepsContext = false }
  }

  /// Creates parameters, as a server that accepts an offer has them.
  init(server: Direction = Direction(), client: Direction = Direction()) {
    self.server = server
    self.client = client
  }

  /// Returns 8 to 15, written without leading zeros (RFC 7692 §7.1.2).
  private static func bits(_ text: String) -> Int? {
    guard text.utf8.count <= 2, text.utf8.first != UInt8(ascii: "0"), text.utf8.allSatisfy({ $0 &- 48 < 10 }),
      let bits = Int(text), (8...15).contains(bits)
    else { return nil }
    return bits
  }
}

extension String {
  static let serverContext = "server_no_context_takeover"
  static let clientContext = "client_no_context_takeover"
  static let serverWindow = "server_max_window_bits"
  static let clientWindow = "client_max_window_bits"
}
