import CurlewCore
import FoundationEssentials

/// Normalizes URLs as they are sent.
///
/// The host is canonical, the scheme's default port and dot segments are removed, and the path is not empty.
enum CanonicalURL {
  /// Returns the request with its URL normalized.
  ///
  /// Nil when it already is, or cannot be.
  static func of(_ request: Request) -> Request? {
    let text = request.url.absoluteString
    guard let reference = try? URLReference(text), let url = try? reference.resolved(against: reference),
      url.absoluteString != text
    else { return nil }
    var canonical = request
    canonical.url = url
    return canonical
  }
}
