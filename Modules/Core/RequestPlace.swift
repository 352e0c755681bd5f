package import FoundationEssentials

/// Where a URL leads, worked out when it is first asked for and then known to all copies of a request.
///
/// Cookies, credentials, the cache and the transport each ask; reading the URL anew for each cost more than they do.
package final class RequestPlace: Sendable {
  private struct Reading {
    var origin: Result<Origin, InvalidOriginError>
    var canonical: String
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

  private func read() -> Reading {
    let fresh: Reading
    do throws(InvalidOriginError) {
      let origin = try Origin(url)
      fresh = Reading(origin: .success(origin), canonical: Self.canonical(url, origin))
    } catch {
      fresh = Reading(origin: .failure(error), canonical: "")
    }
    reading.withLock { $0 = fresh }
    return fresh
  }

  private static func canonical(_ url: URL, _ origin: Origin) -> String {
    let text = url.absoluteString.utf8
    let isEnd = { (byte: UInt8) in [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte) }
    // Behind "://"; a URL with an origin has it.
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return "" }
    let authority = text[colon...].dropFirst(3)
    guard let end = authority.firstIndex(where: isEnd) else { return origin.description + "/" }
    let rest = text[end...].prefix { $0 != UInt8(ascii: "#") }
    let slash = rest.first == UInt8(ascii: "/") ? "" : "/"
    return origin.description + slash + String(Substring(rest))
  }
}
