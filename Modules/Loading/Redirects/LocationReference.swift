import CurlewCore
import FoundationEssentials

/// A `Location` read as a URI reference (RFC 3986 §4.1), with what servers get wrong put right where it is harmless.
///
/// Spaces around it are dropped; characters that no URI has (a space, `|`, letters outside ASCII) are percent-encoded in
/// place. What URL parsers read differently, and forged hosts are made of, is refused: control characters, a backslash
/// before the query, user information, a scheme without a host.
struct LocationReference {
  private var scheme: String?
  private var authority: String?
  private var path: String
  private var query: String?
  private var fragment: String?

  /// The longest value that is read.
  static let limit = 65_536

  init(_ value: String) throws(LocationError) {
    let bytes = Array(value.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed())
    guard bytes.count <= Self.limit else { throw .tooLong }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
    var rest = bytes[...]
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = Self.encoded(rest[(hash + 1)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = Self.encoded(rest[(mark + 1)...])
      rest = rest[..<mark]
    }
    guard !rest.contains(UInt8(ascii: "\\")) else { throw .backslash }
    if let colon = Self.schemeEnd(rest) {
      scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: Array("//".utf8)) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = Self.encoded(rest[..<end], asHost: true)
      rest = rest[end...]
    }
    path = Self.encoded(rest)
    guard scheme == nil || authority != nil else {
      throw scheme == "http" || scheme == "https" ? .noHost : .scheme(Self.shown(scheme))
    }
  }

  /// The absolute URL (RFC 3986 §5.2.2), its fragment inherited where there is none (RFC 9110 §10.2.2).
  func resolved(against base: LocationReference) throws(LocationError) -> URL {
    guard let scheme = scheme ?? base.scheme, let authority = authority ?? base.authority else { throw .noHost }
    let origin = try Self.origin(scheme, authority)
    var text = origin.description
    if self.authority != nil || path.hasPrefix("/") {
      text += Self.withoutDotSegments(path)
    } else if path.isEmpty {
      text += Self.withoutDotSegments(base.path)
    } else {
      text += Self.withoutDotSegments(base.path.prefix(through: base.path.lastIndex(of: "/")) + path)
    }
    let inheritsQuery = self.authority == nil && path.isEmpty
    if let query = query ?? (inheritsQuery ? base.query : nil) { text += "?" + query }
    if let fragment = fragment ?? base.fragment { text += "#" + fragment }
    guard let url = URL(string: text) else { throw .malformed }
    return url
  }

  private static func origin(_ scheme: String, _ authority: String) throws(LocationError) -> Origin {
    guard Origin.Scheme(rawValue: scheme) != nil else { throw .scheme(shown(scheme)) }
    guard let url = URL(string: scheme + "://" + authority + "/") else { throw .malformed }
    do throws(InvalidOriginError) {
      return try Origin(url)
    } catch {
      throw .origin(error)
    }
  }

  private static func shown(_ scheme: String?) -> String { String((scheme ?? "").prefix(32)) }

  /// The place of the colon behind a scheme; nil without one.
  private static func schemeEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first, isLetter(first) else { return nil }
    for place in bytes.indices {
      switch bytes[place] {
      case UInt8(ascii: ":"): return place
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
      case let byte where isLetter(byte): continue
      default: return nil
      }
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

  /// The bytes with all that cannot stand in a URI percent-encoded; escapes that are there are kept.
  private static func encoded(_ bytes: ArraySlice<UInt8>, asHost: Bool = false) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for place in bytes.indices {
      let byte = bytes[place]
      let isEscape =
        byte == UInt8(ascii: "%") && bytes.endIndex - place > 2
        && isHexDigit(bytes[place + 1]) && isHexDigit(bytes[place + 2])
      if isEscape || mayStand(byte) || asHost && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")) {
        result.append(byte)
      } else {
        result += "%".utf8
        result += [hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Unreserved characters, sub-delimiters, and what stands in paths, queries and fragments (RFC 3986 §3.3–5).
  private static func mayStand(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: others.contains(byte)
    }
  }

  private static let others = Set("-._~!$&'()*+,;=:@/?".utf8)

  /// The path without `.` and `..` (RFC 3986 §5.2.4); `/` where nothing is left.
  private static func withoutDotSegments(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, segment) in segments.enumerated() {
      let isLast = place == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}

extension String {
  /// All up to a place and with it; a slash alone without one.
  fileprivate func prefix(through place: Index?) -> String { place.map { String(self[...$0]) } ?? "/" }
}
