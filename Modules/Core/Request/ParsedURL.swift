package import FoundationEssentials

/// A URL that is parsed on first use, for all copies of a request.
///
/// Cookies, credentials, the cache and the transport all need it; parsing the URL for each of them would cost more than
/// their own work.
package final class ParsedURL: Sendable {
  /// The result of parsing a URL.
  package final class Reading: Sendable {
    /// The origin.
    package let origin: Result<Origin, InvalidOriginError>
    /// The canonical URL; empty without an origin.
    ///
    /// Its origin is canonical, path and query are unchanged, the path is at least a slash, and there is no fragment.
    package let canonical: String
    /// Whether scheme and authority were already canonical.
    ///
    /// Then no two parsers can interpret them differently.
    package let isCanonicalAsWritten: Bool
    /// Whether the canonical URL is visible ASCII without a backslash.
    ///
    /// Then it is one word to every parser.
    package let isOneWord: Bool
    /// Whether the canonical URL ends with an empty query.
    package let endsWithQuestionMark: Bool

    fileprivate init(_ origin: Result<Origin, InvalidOriginError>, _ canonical: String, isCanonicalAsWritten: Bool) {
      self.origin = origin
      self.canonical = canonical
      self.isCanonicalAsWritten = isCanonicalAsWritten
      isOneWord = canonical.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
      endsWithQuestionMark = canonical.hasSuffix("?")
    }
  }

  private let url: URL
  private let known = Guarded<Reading?>(nil)

  package init(_ url: URL) { self.url = url }

  package var reading: Reading { known.withLock { $0 } ?? read() }

  package var origin: Origin {
    get throws(InvalidOriginError) { try reading.origin.get() }
  }

  /// `Reading.canonical`; nil when the URL has no origin.
  package var canonical: String? {
    let text = reading.canonical
    return text.isEmpty ? nil : text
  }

  /// `Reading.isCanonicalAsWritten`.
  package var isCanonicalAsWritten: Bool { reading.isCanonicalAsWritten }

  /// The path and query of the canonical URL; nil when the URL has no origin.
  package var target: Substring? {
    guard let canonical, let origin = try? origin else { return nil }
    return Substring(canonical.utf8.dropFirst(origin.description.utf8.count))
  }

  private func read() -> Reading {
    let fresh: Reading
    do throws(InvalidOriginError) {
      fresh = Self.reading(url, try Origin(url))
    } catch {
      fresh = Reading(.failure(error), "", isCanonicalAsWritten: false)
    }
    known.withLock { $0 = fresh }
    return fresh
  }

  private static func reading(_ url: URL, _ origin: Origin) -> Reading {
    let text = url.absoluteString
    let prefix = origin.description
    let bytes = text.utf8Span.span
    var end = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: ":") { end += 1 }
    // Skip "://", which a URL with an origin always contains.
    end = min(end + 3, bytes.count)
    while end < bytes.count, !endsAuthority(bytes[end]) { end += 1 }
    var fragment = end
    while fragment < bytes.count, bytes[fragment] != UInt8(ascii: "#") { fragment += 1 }
    let isCanonical = begins(bytes, with: prefix.utf8Span.span, upTo: end)
    let hasPath = end < fragment && bytes[end] == UInt8(ascii: "/")
    // Most URLs are already canonical.
    let canonical =
      isCanonical && hasPath && fragment == bytes.count
      ? text : prefix + (hasPath ? "" : "/") + String(text.fieldSlice(end..<fragment))
    return Reading(.success(origin), canonical, isCanonicalAsWritten: isCanonical)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Returns whether the bytes up to an index begin with a prefix.
  private static func begins(_ bytes: Span<UInt8>, with prefix: Span<UInt8>, upTo end: Int) -> Bool {
    guard prefix.count == end else { return false }
    for place in 0..<end where bytes[place] != prefix[place] { return false }
    return true
  }
}
