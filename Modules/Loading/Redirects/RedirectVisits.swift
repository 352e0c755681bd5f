import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The URLs that an attempt has visited.
struct RedirectVisits {
  private var seen: [String: Int] = [:]
  private var urls: [URL] = []

  init(_ request: Request) { _ = insert(request) }

  /// Records where a response leads; returns the URLs of the circle if the request has been there.
  mutating func insert(_ request: Request, after head: ResponseHead) -> [URL]? {
    if head.headerFields.contains(where: { $0.name == .setCookie }) { (seen, urls) = ([:], []) }
    return insert(request)
  }

  private mutating func insert(_ request: Request) -> [URL]? {
    defer { urls.append(request.url) }
    let first = seen.updateValue(urls.count, forKey: Self.key(request))
    return first.map { urls[$0...] + [request.url] }
  }

  private static func key(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.url.absoluteString.prefix { $0 != "#" })"
  }
}
