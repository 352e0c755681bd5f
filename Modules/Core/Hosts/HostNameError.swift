public import FoundationEssentials

/// The reason why Curlew cannot connect to a host.
public struct HostNameError: Error, Sendable, Hashable {
  /// The kinds of errors.
  public enum Kind: Sendable, Hashable {
    /// The host is empty.
    case empty
    /// The name has more than 253 octets, or the text more than 4,096 bytes.
    case tooLong
    /// A label has more than 63 octets.
    case labelTooLong
    /// The name begins with a dot or has two consecutive dots.
    case emptyLabel
    /// A character that no host name contains.
    ///
    /// For example a control character, a delimiter, or a percent sign that begins no escape.
    case forbiddenCodePoint(Unicode.Scalar)
    /// The unescaped bytes are not UTF-8.
    case invalidUTF8
    /// The last label is a number, but the host is not an IPv4 address.
    case invalidIPv4Address
    /// The text in brackets is not an IPv6 address.
    case invalidIPv6Address
    /// The IPv6 address has a zone, which is local to a machine (RFC 4007 §11).
    case zoneIdentifier
    /// A character outside ASCII whose mapping is not certain.
    case unmappableCodePoint(Unicode.Scalar)
    /// An international label breaks a rule of RFC 5891 §4.2 or RFC 5893 §2.
    case invalidInternationalLabel
    /// A label begins with `xn--`, but is not the Punycode of an international label.
    case invalidPunycode
  }

  /// The kind of error.
  public let kind: Kind

  init(_ kind: Kind) {
    self.kind = kind
  }
}

extension HostNameError: CustomStringConvertible {
  /// A sentence that describes the error; it does not repeat the host.
  public var description: String { "The URL's host cannot be used: \(reason)." }

  private var reason: String {
    switch kind {
    case .empty: "it is empty"
    case .tooLong: "its name is longer than 253 octets, or its text is longer than 4,096 bytes"
    case .labelTooLong: "a label of its name is longer than 63 octets"
    case .emptyLabel: "its name begins with a dot or has two consecutive dots"
    case .forbiddenCodePoint(let character): "a host must not contain the character \(Self.name(character))"
    case .invalidUTF8: "its percent-escaped bytes are not UTF-8"
    case .invalidIPv4Address: "its last label is a number, but the host is not an IPv4 address"
    case .invalidIPv6Address: "the text in brackets is not an IPv6 address"
    case .zoneIdentifier: "an IPv6 address in a URL must not have a zone, which only its own machine knows"
    case .unmappableCodePoint(let character):
      "the character \(Self.name(character)) is not supported in international host names"
    case .invalidInternationalLabel: "an international label violates RFC 5891 §4.2 or RFC 5893 §2"
    case .invalidPunycode: "a label begins with xn--, but is not the Punycode of an international label"
    }
  }

  /// Returns a character as `U+0025`, because some characters cannot be printed.
  private static func name(_ character: Unicode.Scalar) -> String {
    let digits = String(character.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

extension HostNameError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
