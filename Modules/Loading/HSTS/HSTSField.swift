/// The value of a `Strict-Transport-Security` field (RFC 6797 §6.1).
struct HSTSField: Equatable {
  /// How many seconds the policy holds; 0 ends it.
  let maxAge: Int64
  /// Whether the policy is for all names below the host, too.
  let includesSubdomains: Bool

  /// Reads a value; nil if it does not follow the grammar, has a directive twice or lacks `max-age`.
  ///
  /// Directives with other names are ignored.
  init?(_ text: String) {
    var directives: [String: String?] = [:]
    var rest = Array(text.utf8)[...]
    while true {
      Self.skipBlanks(&rest)
      let name = Self.token(&rest)
      if !name.isEmpty {
        guard directives[name.lowercased()] == nil, let value = Self.value(&rest) else { return nil }
        directives.updateValue(value, forKey: name.lowercased())
        Self.skipBlanks(&rest)
      }
      guard let byte = rest.popFirst() else { break }
      guard byte == UInt8(ascii: ";") else { return nil }
    }
    guard case .some(.some(let digits)) = directives["max-age"], !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let subdomains = directives["includesubdomains"]
    if case .some(.some) = subdomains { return nil }
    maxAge = Int64(digits) ?? .max
    includesSubdomains = subdomains != nil
  }

  /// Reads what follows a name: nothing, or an equals sign with a token or a quoted string.
  ///
  /// The outer optional is nil for what is malformed, the inner one without an equals sign.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> String?? {
    skipBlanks(&rest)
    guard rest.first == UInt8(ascii: "=") else { return .some(nil) }
    rest.removeFirst()
    skipBlanks(&rest)
    guard rest.first == UInt8(ascii: "\"") else {
      let value = token(&rest)
      return value.isEmpty ? nil : .some(value)
    }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return .some(String(decoding: value, as: UTF8.self)) }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
  }

  private static func token(_ rest: inout ArraySlice<UInt8>) -> String {
    let token = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    rest = rest[token.endIndex...]
    return String(decoding: token, as: UTF8.self)
  }
}
