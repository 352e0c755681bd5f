import CurlewCore
import FoundationEssentials

/// Replaces secrets in content by stars, byte for byte, so that all lengths stay.
///
/// It knows JSON and HTML forms: the values of members and fields with the names that a redaction hides in URLs. In JSON, everything
/// inside such a member is hidden: characters of strings become `*`, digits become `1`.
struct ContentMask {
  let redaction: Redaction

  /// Returns the content without secrets; nil if it may have secrets that the mask cannot find.
  func masked(_ bytes: Data, type: String?) -> Data? {
    let type = type.flatMap { MediaType($0) }
    switch (type?.type, type?.subtype) {
    case ("application", "x-www-form-urlencoded"): return items(bytes, inText: false)
    case ("application", "json"), ("text", "json"): return json(bytes)
    case (_, let subtype?) where subtype.hasSuffix("+json"): return json(bytes)
    // Parts have types of their own, and an XML or text document no names that say what is secret.
    case ("multipart", _), ("application", "xml"), ("text", "xml"): return nil
    case (_, let subtype?) where subtype.hasSuffix("+xml") && subtype != "svg+xml": return nil
    // Without a type, or with a wrong one, JSON and forms are still found by their form.
    default:
      guard let first = bytes.first(where: { $0 > 0x20 }) else { return bytes }
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return json(bytes) }
      return Self.isBinary(type) ? bytes : items(bytes, inText: true)
    }
  }

  private static func isBinary(_ type: MediaType?) -> Bool {
    guard let type else { return false }
    return ["image", "audio", "video", "font"].contains(type.type) || type.subtype == "octet-stream"
  }

  private func isSecret(_ name: some Sequence<UInt8>) -> Bool {
    redaction.queryItems.contains(String(decoding: Array(name), as: UTF8.self).lowercased())
  }

  // MARK: Forms

  /// Masks the values of a form, which end with `&`, or those in other text, such as links, which end with the word too.
  private func items(_ data: Data, inText: Bool) -> Data {
    var bytes = Array(data)
    var nameStart = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if Self.isEnd(byte, inText: inText) || (inText && (byte == UInt8(ascii: "?") || byte == UInt8(ascii: ";"))) {
        nameStart = index
      } else if byte == UInt8(ascii: "=") {
        let name = bytes[nameStart..<index - 1]
        // The next name begins here, so that each byte is looked at once, whatever the text.
        nameStart = index
        guard isSecret(PercentText.decoded(String(decoding: name, as: UTF8.self)).utf8) else { continue }
        while index < bytes.count, !Self.isEnd(bytes[index], inText: inText) {
          bytes[index] = UInt8(ascii: "*")
          index += 1
        }
      }
    }
    return Data(bytes)
  }

  private static func isEnd(_ byte: UInt8, inText: Bool) -> Bool {
    byte == UInt8(ascii: "&") || (inText && (byte <= 0x20 || "\"'<>".utf8.contains(byte)))
  }

  // MARK: JSON

  /// Masks JSON by its tokens; a document that is not valid is masked as far as its strings go.
  private func json(_ data: Data) -> Data {
    var bytes = Array(data)
    var index = 0
    /// For each open object or array, whether it is inside a secret member.
    var open: [Bool] = []
    var isSecretValue = false
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        let end = Self.endOfString(bytes, from: index)
        let content = index + 1..<max(index + 1, end - 1)
        if Self.isName(bytes, before: end) {
          isSecretValue = open.last == true || isSecret(Self.unescaped(bytes[content]))
        } else if isSecretValue || open.last == true {
          for place in content { bytes[place] = 0x2A }
        }
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open.append(isSecretValue || open.last == true)
        isSecretValue = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isSecretValue = false
      case UInt8(ascii: ","): isSecretValue = false
      case UInt8(ascii: "0")...UInt8(ascii: "9") where isSecretValue || open.last == true:
        bytes[index] = UInt8(ascii: "1")
      default: break
      }
      index += 1
    }
    return Data(bytes)
  }

  /// Returns the index after the closing quote, or the end.
  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(bytes.count, index + 1)
  }

  /// Whether a colon follows a string.
  private static func isName(_ bytes: [UInt8], before start: Int) -> Bool {
    bytes[start...].first { $0 > 0x20 } == UInt8(ascii: ":")
  }

  /// Returns a name with its escapes of ASCII characters resolved.
  private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
    guard name.contains(UInt8(ascii: "\\")) else { return Array(name) }
    var rest = name
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        text.append(byte)
        continue
      }
      guard kind == UInt8(ascii: "u") else {
        text.append(kind)
        continue
      }
      let code = UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16).flatMap(UnicodeScalar.init) ?? "?"
      text += Array(String(code).utf8)
      rest = rest.dropFirst(4)
    }
    return text
  }
}
