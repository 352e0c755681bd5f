package import FoundationEssentials

/// Where a URL leads, worked out when it is first asked for and then known to all copies of a request.
///
/// Cookies, credentials, the cache and the transport each ask; reading the URL anew for each cost more than they do.
package final class RequestPlace: Sendable {
  private struct Reading {
    var origin: Result<Origin, InvalidOriginError>
    var canonical = ""
    var isCanonicalAsWritten = false
  }

  private let url: URL
  private let reading = Guarded<Reading?>(nil)

  package init(_ url: URL) { self.url = url }

  package var origin: Origin {
    get throws(InvalidOriginError) {
      if let known = reading.withLock({ $0?.origin }) { return try known.get() }
      return try read().origin.get()
    }
  }

  /// The URL with its origin in canonical form, path and query as they are, at least a slash, and no fragment; nil when
  /// it has no origin.
  package var canonical: String? {
    let text = reading.withLock { $0?.canonical } ?? read().canonical
    return text.isEmpty ? nil : text
  }

  /// Whether scheme and authority were written in canonical form, so that no two parsers can read them differently.
  package var isCanonicalAsWritten: Bool {
    reading.withLock { $0?.isCanonicalAsWritten } ?? read().isCanonicalAsWritten
  }

  /// Path and query of the canonical URL, as a request line has them; nil when the URL has no origin.
  package var target: Substring? {
    guard let canonical, let origin = try? origin else { return nil }
    return Substring(canonical.utf8.dropFirst(origin.description.utf8.count))
  }

  private func read() -> Reading {
    let fresh: Reading
    do throws(InvalidOriginError) {
      fresh = Self.reading(url, try Origin(url))
    } catch {
      fresh = Reading(origin: .failure(error))
    }
    reading.withLock { $0 = fresh }
    return fresh
  }

  private static func reading(_ url: URL, _ origin: Origin) -> Reading {
    let text = url.absoluteString
    let written = text.utf8
    let isEnd = { (byte: UInt8) in [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte) }
    // Behind "://"; a URL with an origin has it.
    guard let colon = written.firstIndex(of: UInt8(ascii: ":")) else { return Reading(origin: .success(origin)) }
    let authority = written[colon...].dropFirst(3)
    let end = authority.firstIndex(where: isEnd) ?? written.endIndex
    let rest = written[end...].prefix { $0 != UInt8(ascii: "#") }
    let slash = rest.first == UInt8(ascii: "/") ? "" : "/"
    return Reading(
      origin: .success(origin), canonical: origin.description + slash + String(Substring(rest)),
      isCanonicalAsWritten: written[..<end].elementsEqual(origin.description.utf8))
  }
}
