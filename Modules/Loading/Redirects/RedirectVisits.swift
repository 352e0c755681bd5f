import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The URLs that an attempt has visited.
struct RedirectVisits {
  private var seen: Set<String>

  init(_ request: Request) { seen = [Self.key(request)] }

  /// Records where a response leads; returns false if the request has been there.
  mutating func insert(_ request: Request, after head: ResponseHead) -> Bool {
    if head.headerFields.contains(where: { $0.name == .setCookie }) { seen = [] }
    return seen.insert(Self.key(request)).inserted
  }

  private static func key(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.url.absoluteString.prefix { $0 != "#" })"
  }
}
