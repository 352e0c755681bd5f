package import CurlewCore
package import FoundationEssentials
package import HTTPTypes

/// A URI reference (RFC 3986 §4.1), such as a `Location` or a path from an app.
///
/// Harmless mistakes are repaired: surrounding spaces are dropped, and characters that a URI must not contain (a space, `|`,
/// bytes outside ASCII) are percent-encoded. Existing escapes stay unchanged; a percent sign that begins no escape is
/// encoded. Text that URL parsers interpret differently is rejected, because it can forge a host: control characters, a
/// backslash before the query, user information, and a scheme without a host.
package struct URLReference: Sendable {
  private var scheme: String?
  private var authority: String?
  private var path: String
  private var query: String?
  private var fragment: String?

  /// The most bytes of a reference.
  package static let limit = 65_536

  /// Reads a reference.
  ///
  /// - Throws: `URLReferenceError`.
  package init(_ value: String) throws(URLReferenceError) { try self.init(bytes: Array(value.utf8)) }

  /// Reads a reference from the value of a field, whose bytes need not be UTF-8.
  ///
  /// - Throws: `URLReferenceError`.
  package init(_ field: HTTPField) throws(URLReferenceError) {
    try self.init(bytes: field.withUnsafeBytesOfValue { Array($0) })
  }

  private init(bytes value: [UInt8]) throws(URLReferenceError) {
    var bytes = value[...]
    while bytes.first == 0x20 { bytes.removeFirst() }
    while bytes.last == 0x20 { bytes.removeLast() }
    guard bytes.count <= Self.limit else { throw .tooLong }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
    var rest = bytes
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = PercentEncoding.repaired(rest[(hash + 1)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = PercentEncoding.repaired(rest[(mark + 1)...])
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
      authority = PercentEncoding.repaired(rest[..<end], asHost: true)
      rest = rest[end...]
    }
    path = PercentEncoding.repaired(rest)
    guard scheme == nil || authority != nil else {
      throw scheme == "http" || scheme == "https" ? .noHost : .scheme(Self.shown(scheme))
    }
  }

  /// Returns the reference as a base for others.
  ///
  /// A path that is not empty then ends with a slash, and there is no fragment.
  package func asBase() -> URLReference {
    var base = self
    if !path.isEmpty, !path.hasSuffix("/") { base.path += "/" }
    base.fragment = nil
    return base
  }

  /// The directory of the path, to which relative paths are appended.
  ///
  /// It has no dot segments, and begins and ends with a slash.
  package var directory: String { Self.withoutDotSegments(path.prefix(through: path.lastIndex(of: "/"))) }

  /// Returns the URL of an absolute reference, which needs no base.
  ///
  /// - Throws: `URLReferenceError`; `relative` if it has no scheme.
  package func resolved() throws(URLReferenceError) -> URL {
    guard scheme != nil else { throw .relative }
    return try resolved(against: self)
  }

  /// Whether the reference has a host and no scheme, such as `//host/path` (RFC 3986 §4.2, "network-path reference").
  package var hasHostWithoutScheme: Bool { scheme == nil && authority != nil }

  /// Returns the origin in the reference.
  ///
  /// - Throws: `URLReferenceError`; `relative` if it contains none.
  package func origin() throws(URLReferenceError) -> Origin {
    guard let scheme, let authority else { throw .relative }
    return try Self.origin(scheme, authority)
  }

  /// Returns the URL relative to a base (RFC 3986 §5.2.2).
  ///
  /// Without a fragment of its own it inherits that of the base (RFC 9110 §10.2.2).
  ///
  /// - Parameter known: The origin of the base, if it was already read.
  package func resolved(against base: URLReference, at known: Origin? = nil) throws(URLReferenceError) -> URL {
    var text = try origin(from: base, known).description
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

  private func origin(from base: URLReference, _ known: Origin?) throws(URLReferenceError) -> Origin {
    if let known, authority == nil { return known }
    guard let scheme = scheme ?? base.scheme, let authority = authority ?? base.authority else { throw .noHost }
    return try Self.origin(scheme, authority)
  }

  private static func origin(_ scheme: String, _ authority: String) throws(URLReferenceError) -> Origin {
    guard Origin.Scheme(rawValue: scheme) != nil else { throw .scheme(shown(scheme)) }
    guard let url = URL(string: scheme + "://" + authority + "/") else { throw .malformed }
    do throws(InvalidOriginError) {
      return try Origin(url)
    } catch {
      throw .origin(error)
    }
  }

  private static func shown(_ scheme: String?) -> String { String((scheme ?? "").prefix(32)) }

  /// Returns the index of the colon after a scheme; nil if there is no scheme.
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

  /// Returns the path without `.` and `..` (RFC 3986 §5.2.4), at least `/`.
  private static func withoutDotSegments(_ path: String) -> String {
    // Most paths contain no dots, and splitting one costs more than searching it.
    if path.hasPrefix("/"), !path.utf8.contains(UInt8(ascii: ".")) { return path }
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
  /// Returns the text up to and including a place; a slash for nil.
  fileprivate func prefix(through place: Index?) -> String { place.map { String(self[...$0]) } ?? "/" }
}

/// The reason why a URL reference has no URL.
package enum URLReferenceError: Error, Hashable, CustomStringConvertible {
  case tooLong
  case controlCharacter
  case backslash
  case scheme(String)
  case noHost
  case hostWithoutScheme
  case relative
  case malformed
  case origin(InvalidOriginError)

  /// The reason as the end of a sentence, without its period: "The path has control characters".
  package var reason: String {
    switch self {
    case .tooLong: "is longer than \(URLReference.limit) bytes"
    case .controlCharacter: "has control characters"
    case .backslash: "has a backslash, which URL parsers read differently"
    case .scheme(let scheme): "has a scheme (\(scheme)) that is neither http nor https"
    case .noHost: "has no host"
    case .hostWithoutScheme: "begins with two slashes, after which a host is named"
    case .relative: "is relative and there is no base URL"
    case .malformed: "is not a URL"
    case .origin(let error): "leads to no server: \(error.message.dropLast())"
    }
  }

  /// A sentence that says what to do; nil if nothing is known.
  package var advice: String? {
    guard case .origin(let error) = self else { return nil }
    return error.advice
  }

  /// The reason as a sentence.
  package var description: String { "The URL reference \(reason)." }
}

extension URLReferenceError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  package var errorDescription: String? { description }
}
