import CurlewCore
import FoundationEssentials

/// The user name and password as the Basic scheme sends them (RFC 7617).
enum BasicCredentials {
  /// Returns the value of `Authorization` or `Proxy-Authorization`.
  ///
  /// Characters beyond ASCII are sent as UTF-8 in NFC, with or without the server's `charset="UTF-8"`: RFC 7617 knows no
  /// other charset, and other clients do the same.
  ///
  /// - Throws: `CredentialError` for a colon in the user name, and for control characters.
  static func fieldValue(user: String, password: String) throws(CredentialError) -> String {
    try CredentialError.checkControls(user, password)
    guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
    let pair = user.nfc + ":" + password.nfc
    return "Basic " + Data(pair.utf8).base64EncodedString()
  }
}

/// The reasons why a scheme cannot send a credential.
enum CredentialError: Error, Hashable {
  case colonInUser
  case controlCharacter
  case wrongKind(scheme: String)
  case unrepresentable(scheme: String)
  case unavailableHash(String)

  /// Refuses control characters, which RFC 7617 and RFC 7616 forbid.
  ///
  /// A line break among them could end the field and begin another.
  static func checkControls(_ texts: String...) throws(CredentialError) {
    for text in texts {
      // Check the category, not the bytes: in UTF-8, C1 controls have no byte below 0x20.
      guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        throw .controlCharacter
      }
    }
  }

  /// The error of the request; its message quotes no part of the credential.
  var networkError: NetworkError {
    let reason =
      switch self {
      case .colonInUser: "The user name contains a colon, which Basic cannot send."
      case .controlCharacter: "The user name or the password contains a control character, which no scheme can send."
      case .wrongKind(let scheme): "A challenge of scheme \(scheme) was answered with another kind of credential."
      case .unrepresentable(let scheme):
        "The credential contains characters that a header field of scheme \(scheme) cannot hold."
      case .unavailableHash(let name): "The server asks for \(name), which this system's OpenSSL does not offer."
      }
    return NetworkError(.authenticationFailed, stage: .preparing, message: reason, underlying: self)
  }
}
