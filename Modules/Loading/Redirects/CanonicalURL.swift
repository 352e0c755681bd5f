import CurlewCore
import FoundationEssentials

/// A URL as it goes on the wire: canonical host, no port where it is the scheme's own, no dot segments, a path.
enum CanonicalURL {
  /// The request with its URL in that form; nil when it is so already, or has no such form.
  static func of(_ request: Request) -> Request? {
    let text = request.url.absoluteString
    guard let reference = try? LocationReference(text), let url = try? reference.resolved(against: reference),
      url.absoluteString != text
    else { return nil }
    var canonical = request
    canonical.url = url
    return canonical
  }
}
