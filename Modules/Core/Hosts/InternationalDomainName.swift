/// Converts a domain name to lower-case ASCII (UTS #46 §4, RFC 5891 §5).
enum InternationalDomainName {
  /// Maps a name and encodes its labels outside ASCII.
  ///
  /// Each label is checked, and all of them together if one is written from right to left. The length of the name is not
  /// checked.
  static func ascii(_ name: String) throws(HostNameError) -> String {
    let labels = Array(name.unicodeScalars).split(omittingEmptySubsequences: false, whereSeparator: isDot)
    var mapped: [[Unicode.Scalar]] = []
    for (place, label) in labels.enumerated() {
      guard !label.isEmpty || place == labels.count - 1 && place > 0 else {
        throw HostNameError(labels.count == 1 ? .empty : .emptyLabel)
      }
      mapped.append(try map(label))
    }
    if mapped.contains(where: BidirectionalRule.makesNameBidirectional) {
      guard mapped.allSatisfy({ $0.isEmpty || BidirectionalRule.allows($0) }) else {
        throw HostNameError(.invalidInternationalLabel)
      }
    }
    var result: [String] = []
    for label in mapped { result.append(try encode(label)) }
    return result.joined(separator: ".")
  }

  /// Returns whether UTS #46 treats a character as a full stop.
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
  }

  /// Maps the characters of a label: case, full-width ASCII, NFC.
  private static func map(_ label: ArraySlice<Unicode.Scalar>) throws(HostNameError) -> [Unicode.Scalar] {
    var text = String.UnicodeScalarView()
    for scalar in label {
      switch scalar.value {
      case 0xFF01...0xFF5E:
        text.append(contentsOf: lowercase(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar))
      case 0x1E9E:
        // Versions of UTS #46 disagree whether this letter becomes ss or stays ß.
        throw HostNameError(.unmappableCodePoint(scalar))
      default:
        text.append(contentsOf: lowercase(scalar))
      }
    }
    return text.allSatisfy(\.isASCII) ? Array(text) : Array(String(text).nfc.unicodeScalars)
  }

  /// Returns the lower-case form of a letter that case folding changes.
  ///
  /// All other characters stay unchanged.
  private static func lowercase(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    guard !scalar.isASCII else {
      let isUpper = ("A"..."Z").contains(scalar)
      return String(isUpper ? Unicode.Scalar(UInt8(ascii: scalar) | 0x20) : scalar).unicodeScalars
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .uppercaseLetter where properties.changesWhenNFKCCaseFolded,
      .titlecaseLetter where properties.changesWhenNFKCCaseFolded:
      return properties.lowercaseMapping.unicodeScalars
    default:
      return String(scalar).unicodeScalars
    }
  }

  private static func encode(_ label: [Unicode.Scalar]) throws(HostNameError) -> String {
    let text: String
    if label.allSatisfy(\.isASCII) {
      for scalar in label where !isAllowed(scalar) { throw HostNameError(.forbiddenCodePoint(scalar)) }
      text = String(String.UnicodeScalarView(label))
      if text.hasPrefix("xn--") { try checkPunycode(text) }
    } else {
      // A longer label cannot fit, because each character takes at least one octet.
      guard label.count <= 63 else { throw HostNameError(.labelTooLong) }
      try InternationalLabelRules.check(label)
      guard let encoded = Punycode.encode(label) else { throw HostNameError(.labelTooLong) }
      text = "xn--" + String(decoding: encoded, as: UTF8.self)
    }
    guard text.utf8.count <= 63 else { throw HostNameError(.labelTooLong) }
    return text
  }

  /// Returns whether a label may contain an ASCII character.
  ///
  /// RFC 1123 §2.1 allows letters, digits and the hyphen; names in use also contain the underscore.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "0"..."9", "-", "_": true
    default: false
    }
  }

  /// Checks that a label is the only spelling of an international label.
  ///
  /// Characters that IDNA 2008 excludes, such as emoji, are accepted, because the label is already in ASCII.
  private static func checkPunycode(_ label: String) throws(HostNameError) {
    guard label.utf8.count <= 63 else { throw HostNameError(.labelTooLong) }
    let encoded = Array(label.utf8.dropFirst(4))
    guard let decoded = Punycode.decode(encoded), !decoded.allSatisfy(\.isASCII),
      Punycode.encode(decoded) == encoded,
      InternationalLabelRules.couldBeMapped(decoded),
      Array(String(String.UnicodeScalarView(decoded)).nfc.unicodeScalars) == decoded,
      !BidirectionalRule.makesNameBidirectional(decoded) || BidirectionalRule.allows(decoded)
    else { throw HostNameError(.invalidPunycode) }
  }
}
