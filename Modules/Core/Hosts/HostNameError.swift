/// Says why a text is no host that Curlew connects to.
public struct HostNameError: Error, Sendable, Hashable {
  /// What was wrong.
  public enum Kind: Sendable, Hashable {
    /// There is no host.
    case empty
    /// The name has more than 253 octets, or the text more than 4,096 bytes.
    case tooLong
    /// A label has more than 63 octets.
    case labelTooLong
    /// Two dots follow each other, or the name begins with one.
    case emptyLabel
    /// A character that no host name has: a control character, a delimiter, a percent sign that escapes nothing, …
    case forbiddenCodePoint(Unicode.Scalar)
    /// The unescaped bytes are not UTF-8.
    case invalidUTF8
    /// The last label is a number, but the host is not an IPv4 address.
    case invalidIPv4Address
    /// What stands in brackets is not an IPv6 address.
    case invalidIPv6Address
    /// The IPv6 address names a zone, which means something on this machine only (RFC 4007 §11).
    case zoneIdentifier
    /// A character outside ASCII whose place in a host name is not certain.
    case unmappableCodePoint(Unicode.Scalar)
    /// A label with characters outside ASCII breaks a rule of RFC 5891 §4.2 or RFC 5893 §2.
    case invalidInternationalLabel
    /// A label begins with `xn--`, but is not the Punycode of an international label.
    case invalidPunycode
  }

  /// What was wrong.
  public let kind: Kind

  init(_ kind: Kind) {
    self.kind = kind
  }
}

extension HostNameError: CustomStringConvertible {
  /// A sentence; it does not repeat the host.
  public var description: String { "The URL's host cannot be used: \(kind)." }
}
