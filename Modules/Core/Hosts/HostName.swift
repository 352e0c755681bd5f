import FoundationEssentials

/// A host in canonical form, in which an `Origin` compares it.
///
/// Two texts that a resolver or another URL parser would take for the same machine become equal, and texts that parsers
/// interpret differently are rejected. The rules are a strict form of the URL Standard's host parser for http:
///
/// * Percent escapes are decoded once. Letters become lower-case.
/// * A name outside ASCII becomes A-labels (RFC 5891). First it is mapped as in UTS #46 without transitional processing: case,
///   full-width ASCII and dots, NFC. Only letters, digits and marks that IDNA 2008 allows are accepted. Symbols, emoji,
///   invisible characters and characters that UTS #46 maps by compatibility are rejected; they can be written as an `xn--`
///   label.
/// * An `xn--` label must be the exact Punycode of an international label.
/// * If the last label is a number, the host must be an IPv4 address in one of its numeric forms (`127.1`, `0x7f.1`,
///   `2130706433`, octal), and becomes dotted decimal.
/// * An IPv6 address is in brackets and takes the form of RFC 5952, still in brackets. A zone is rejected.
/// * ASCII names have letters, digits, `-`, `_` and dots. Other characters are rejected, because no resolvable name contains
///   them, including those that the URL Standard accepts (such as `!` and `~`).
/// * A label has 1 to 63 octets and a name at most 253. One dot at the end is kept: `example.com.` is resolved without a
///   search list and has another `Host` field, so it is another host than `example.com`.
package struct HostName: Sendable, Hashable {
  /// The kinds of hosts.
  package enum Kind: Sendable, Hashable {
    /// A name to look up.
    case name
    /// An IPv4 address.
    case ipv4Address
    /// An IPv6 address.
    case ipv6Address
  }

  /// The canonical text as in a URL: lower-case ASCII, IPv6 in brackets.
  package let text: String
  /// The kind of host.
  package let kind: Kind

  /// Creates the canonical form of a URL's host.
  ///
  /// A host that is created from ``text`` is equal to this one.
  ///
  /// - Parameter host: The host as written in the URL, with its percent escapes and brackets.
  /// - Throws: ``HostNameError``, whose kind says what is wrong.
  package init(_ host: String) throws(HostNameError) {
    let bytes = host.utf8
    guard !bytes.isEmpty else { throw HostNameError(.empty) }
    guard bytes.count <= Self.longestText else { throw HostNameError(.tooLong) }
    if bytes.first == UInt8(ascii: "[") {
      text = try "[" + IPv6Address(bracketed: Array(bytes)).text + "]"
      kind = .ipv6Address
      return
    }
    let name = if let plain = Self.plainName(host) { plain } else { try Self.mappedName(Array(bytes)) }
    if let address = try IPv4Address(name: name) {
      text = address.text
      kind = .ipv4Address
      return
    }
    guard name.utf8.count <= (name.hasSuffix(".") ? 254 : 253) else { throw HostNameError(.tooLong) }
    text = name
    kind = .name
  }

  private static let longestText = 4096

  /// Returns the lower-case form of a name that needs no other changes.
  ///
  /// Most names are of this kind. Nil if a name needs a closer look.
  private static func plainName(_ host: String) -> String? {
    let bytes = host.utf8Span.span
    var labelStart = 0
    var hasUpper = false
    for place in bytes.indices {
      switch bytes[place] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): break
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hasUpper = true
      // A hyphen in the fourth position may belong to an A-label.
      case UInt8(ascii: "-"): if place - labelStart == 3 { return nil }
      case UInt8(ascii: "."):
        guard (1...63).contains(place - labelStart) else { return nil }
        labelStart = place + 1
      default: return nil
      }
    }
    guard bytes.count - labelStart <= 63 else { return nil }
    return hasUpper ? host.lowercased() : host
  }

  private static func mappedName(_ bytes: [UInt8]) throws(HostNameError) -> String {
    guard let decoded = String(validating: FieldSyntax.unescaped(bytes), as: UTF8.self) else {
      throw HostNameError(.invalidUTF8)
    }
    return try InternationalDomainName.ascii(decoded)
  }
}

extension HostName: CustomStringConvertible {
  /// The canonical text.
  package var description: String { text }
}

/// The reason why Curlew cannot connect to a host.
package struct HostNameError: Error, Sendable, Hashable {
  /// The kinds of errors.
  package enum Kind: Sendable, Hashable {
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
  package let kind: Kind

  init(_ kind: Kind) { self.kind = kind }
}

extension HostNameError: CustomStringConvertible {
  /// A sentence that describes the error; it does not repeat the host.
  package var description: String { "The URL's host cannot be used: \(reason)." }

  /// What is wrong, as the end of a sentence.
  var reason: String {
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
  package var errorDescription: String? { description }
}
