import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Replaces secrets in content by stars, byte for byte, so that all lengths stay.
///
/// It knows JSON, also in events and lines, HTML forms, and text with `name=value` and `name: value`; other content that can have secrets is
/// left out. It hides the values of members and fields with the names that a redaction hides in URLs and in fields, in any
/// case and with `_`, `-` or nothing between their words. In JSON, everything inside such a member is hidden: characters of strings become
/// `*`, digits become `1`. Links in any string have such names, too. A value without a name, such as a token that is a whole text, is not
/// found, unless the exchange itself has sent it as a credential.
struct ContentMask {
  /// The hidden names, as `plain` writes them.
  private let names: Set<[UInt8]>
  /// The credentials of the exchange.
  private let credentials: [[UInt8]]

  /// - Parameters:
  ///   - redaction: Names what is hidden.
  ///   - request: The request whose credentials are hidden wherever they stand, as in what a server echoes.
  init(redaction: Redaction, request: Request) {
    names = Set(
      redaction.queryItems.map { Self.plain($0.utf8) } + redaction.fields.map { Self.plain($0.canonicalName.utf8) })
    credentials = request.headerFields.compactMap { field in
      guard redaction.fields.contains(field.name), field.name != .cookie else { return nil }
      // Behind the scheme, if there is one (RFC 9110 §11.4). A short one may be a word of the content.
      let value = Array(field.value.utf8.split(separator: 0x20).last ?? [])
      return value.count >= 8 ? value : nil
    }
  }

  /// Returns a name in lower case without what separates its words.
  private static func plain(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.compactMap { byte in
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"): nil
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      default: byte
      }
    }
  }

  /// Returns the content without secrets; nil if it may have secrets that the mask cannot find.
  func masked(_ bytes: Data, type: String?) -> Data? { named(withoutCredentials(bytes), type: type) }

  private func withoutCredentials(_ data: Data) -> Data {
    if credentials.isEmpty { return data }
    var bytes = Array(data)
    for credential in credentials {
      var start = 0
      while let found = bytes[start...].firstIndex(of: credential[0]) {
        start = found + 1
        guard bytes[found...].starts(with: credential) else { continue }
        start = found + credential.count
        for place in found..<start { bytes[place] = UInt8(ascii: "*") }
      }
    }
    return Data(bytes)
  }

  private func named(_ bytes: Data, type: String?) -> Data? {
    let type = type.flatMap { MediaType($0) }
    switch (type?.type, type?.subtype) {
    // curl's users send JSON as a form.
    case ("application", "x-www-form-urlencoded"): return Self.isJSON(bytes) ? json(bytes) : items(bytes, in: .form)
    case ("text", "event-stream"): return events(bytes)
    case (_, let subtype?) where subtype == "json" || subtype.hasSuffix("+json") || Self.textTypes.contains(subtype):
      return text(bytes)
    case (nil, _): return text(bytes)
    // A page is for people, and has links.
    case ("text", "html"): return items(bytes, in: .text)
    case ("image", _), ("audio", _), ("video", _), ("font", _), ("application", "octet-stream"):
      return Self.isJSON(bytes) ? json(bytes) : bytes
    // XML, YAML, property lists, tables, parts and binary formats have their names elsewhere.
    default: return nil
    }
  }

  /// What is text with `name=value` and `name: value`, or JSON.
  private static let textTypes: Set<String> = [
    "plain", "css", "javascript", "x-ndjson", "ndjson", "jsonl", "json-seq",
  ]

  private static func isJSON(_ bytes: Data) -> Bool {
    let first = bytes.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Masks text whatever its type says; nil for markup.
  private func text(_ bytes: Data) -> Data? {
    if Self.isJSON(bytes) { return json(bytes) }
    return bytes.first { $0 > 0x20 } == UInt8(ascii: "<") ? nil : items(bytes, in: .text)
  }

  /// Masks the lines of an event stream: each field is text or JSON of its own.
  private func events(_ bytes: Data) -> Data? {
    var masked = Array(bytes)
    for line in masked.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      // JSON over several lines cannot be told from text behind its first one.
      let content = Data(line[(colon + 1)...])
      let last = content.last { $0 > 0x20 }
      let isOpen = Self.isJSON(content) && last != UInt8(ascii: "}") && last != UInt8(ascii: "]")
      guard !isOpen, let value = text(content) else { return nil }
      masked.replaceSubrange(colon + 1..<line.endIndex, with: value)
    }
    return Data(masked)
  }

  private func isSecret(_ name: some Sequence<UInt8>) -> Bool { names.contains(Self.plain(name)) }

  // MARK: Items

  /// Where `name=value` stands.
  private enum Place {
    /// In an HTML form, where a value ends with `&`.
    case form
    /// In other text, such as a link, where it ends with the word, too.
    case text
    /// In text that is a string of JSON, where a character can be an escape.
    case jsonString
  }

  private func items(_ data: Data, in place: Place) -> Data {
    var bytes = Array(data)
    maskItems(&bytes, bytes.indices, in: place)
    return Data(bytes)
  }

  /// Masks the values of secret items; each byte is looked at once, whatever the text.
  private func maskItems(_ bytes: inout [UInt8], _ range: Range<Int>, in place: Place) {
    var name: [UInt8] = []
    /// The name in quotes before a colon.
    var quoted: [UInt8] = []
    var (isSecretValue, isSecretLine) = (false, false)
    var index = range.lowerBound
    while index < range.upperBound {
      let (byte, length) =
        place == .jsonString ? Self.character(bytes[index..<range.upperBound]) : (bytes[index], 1)
      if isSecretLine, byte != 0x0A, byte != 0x0D {
        bytes[index] = UInt8(ascii: "*")
      } else if Self.isEnd(byte, in: place) {
        if !name.isEmpty { quoted = name }
        if byte == 0x0A { quoted = [] }
        name = []
        (isSecretValue, isSecretLine) = (false, false)
      } else if isSecretValue {
        for masked in index..<index + length { bytes[masked] = UInt8(ascii: "*") }
      } else if byte == UInt8(ascii: "=") {
        isSecretValue = isSecret(PercentText.decoded(String(decoding: name, as: UTF8.self)).utf8)
        name = []
      } else if place == .text, byte == UInt8(ascii: ":") {
        isSecretLine = isSecret(name.isEmpty ? quoted : name)
        name = []
      } else if place != .form, byte == UInt8(ascii: "?") || byte == UInt8(ascii: ";") {
        name = []
      } else {
        name.append(byte)
      }
      index += length
    }
  }

  private static func isEnd(_ byte: UInt8, in place: Place) -> Bool {
    byte == UInt8(ascii: "&") || (place != .form && (byte <= 0x20 || "\"'<>".utf8.contains(byte)))
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
        // A document that is cut off can end inside a string.
        let isClosed = end - 1 > index && bytes[end - 1] == UInt8(ascii: "\"")
        let content = index + 1..<(isClosed ? end - 1 : end)
        if Self.isName(bytes, before: end) {
          isSecretValue = open.last == true || isSecret(Self.unescaped(bytes[content]))
        } else if isSecretValue || open.last == true {
          for place in content { bytes[place] = 0x2A }
        } else {
          maskItems(&bytes, content, in: .jsonString)
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
    while !rest.isEmpty {
      let (byte, length) = character(rest)
      text.append(byte)
      rest = rest.dropFirst(length)
    }
    return text
  }

  /// Returns the first byte of a string, and its length if it is an escape; a question mark for an escape outside ASCII.
  private static func character(_ rest: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
    guard let first = rest.first else { return (0, 1) }
    guard first == UInt8(ascii: "\\"), let kind = rest.dropFirst().first else { return (first, 1) }
    switch kind {
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): return (0x20, 2)
    case UInt8(ascii: "u"):
      let code = UInt8(String(decoding: rest.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
      return (code.flatMap { $0 < 0x80 ? $0 : nil } ?? UInt8(ascii: "?"), min(6, rest.count))
    default: return (kind, 2)
    }
  }
}
