import CurlewCore
import FoundationEssentials

/// User name and password as the Basic scheme sends them (RFC 7617).
enum BasicCredentials {
  /// The value of `Authorization` or `Proxy-Authorization`.
  ///
  /// Characters beyond ASCII go as UTF-8 in NFC, whether the server said `charset="UTF-8"` or nothing: it is the only
  /// charset the RFC knows, and what others send.
  ///
  /// - Throws: `CredentialError` for a colon in the user name, and for control characters.
  static func fieldValue(user: String, password: String) throws(CredentialError) -> String {
    try CredentialError.checkControls(user, password)
    guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
    let pair = user.normalized + ":" + password.normalized
    return "Basic " + Data(pair.utf8).base64EncodedString()
  }
}

/// A credential that a scheme cannot send.
enum CredentialError: Error, Hashable {
  case colonInUser
  case controlCharacter
  case wrongKind(scheme: String)
  case unrepresentable(scheme: String)
  case unavailableHash(String)

  /// Refuses what neither RFC 7617 nor RFC 7616 allows, and what ends a line.
  static func checkControls(_ texts: String...) throws(CredentialError) {
    for text in texts {
      // C1 controls too, whose UTF-8 has no byte below 0x20.
      guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        throw .controlCharacter
      }
    }
  }

  /// The error of the request that was to carry it; it quotes nothing of the credential.
  var networkError: NetworkError {
    let reason =
      switch self {
      case .colonInUser: "The user name holds a colon, which Basic cannot carry."
      case .controlCharacter: "The user name or password holds a control character, which no scheme can carry."
      case .wrongKind(let scheme): "The credential is not of a kind that answers \(scheme)."
      case .unrepresentable(let scheme): "The credential cannot be written in the field that \(scheme) uses."
      case .unavailableHash(let name): "This system's OpenSSL offers no \(name), which the server asks for."
      }
    return NetworkError(.authenticationFailed, stage: .preparing, message: reason, underlying: self)
  }
}
