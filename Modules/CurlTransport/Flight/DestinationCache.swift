import CurlewCore
import FoundationEssentials

/// Where a URL leads, worked out once for URLs that are asked again and again, each time by a request made anew.
final class DestinationCache: Sendable {
  struct Destination: Sendable {
    let origin: Origin
    /// The URL in the one form that cannot be read differently.
    let target: String
  }

  private static let most = 64
  /// Longer URLs are not kept: they seldom come twice.
  private static let longest = 512
  private let known = Guarded<[String: Destination]>([:])

  func destination(of request: Request) throws(NetworkError) -> Destination {
    let text = request.url.absoluteString
    if let known = known.withLock({ $0[text] }) { return known }
    let origin = try RequestCheck.origin(of: request)
    let destination = Destination(origin: origin, target: try RequestTarget.text(of: request, origin))
    if text.utf8.count <= Self.longest {
      known.withLock { known in
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[text] = destination
      }
    }
    return destination
  }
}
