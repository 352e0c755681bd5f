import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Where an attempt has been.
struct RedirectVisits {
  private var seen: Set<String>

  init(_ request: Request) { seen = [Self.key(request)] }

  /// Remembers where a response leads; false when the request has been there.
  mutating func insert(_ request: Request, after head: ResponseHead) -> Bool {
    if head.headerFields.contains(where: { $0.name == .setCookie }) { seen = [] }
    return seen.insert(Self.key(request)).inserted
  }

  private static func key(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.url.absoluteString.prefix { $0 != "#" })"
  }
}
